package io.stele.gateway.bigtable.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.bigtable.admin.v2.GcRule;
import com.google.protobuf.Duration;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.time.RandomSource;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GcRulesTest {
  private static final long NOW = 10_000_000_000L;

  private static GcRule versions(int number) {
    return GcRule.newBuilder().setMaxNumVersions(number).build();
  }

  private static GcRule seconds(long seconds) {
    return GcRule.newBuilder().setMaxAge(Duration.newBuilder().setSeconds(seconds)).build();
  }

  private static GcRule union(GcRule... rules) {
    return GcRule.newBuilder()
        .setUnion(GcRule.Union.newBuilder().addAllRules(List.of(rules)))
        .build();
  }

  private static GcRule intersection(GcRule... rules) {
    return GcRule.newBuilder()
        .setIntersection(GcRule.Intersection.newBuilder().addAllRules(List.of(rules)))
        .build();
  }

  @Test
  void rulesBecomePolicies() {
    assertThat(GcRules.policy(GcRule.getDefaultInstance())).isEqualTo(PurgePolicy.NONE);
    assertThat(GcRules.policy(versions(3))).hasToString("max-history=3");
    assertThat(GcRules.policy(seconds(2))).hasToString("max-age=2000000");
    assertThat(GcRules.policy(union(versions(3), seconds(2))))
        .hasToString("max-age=2000000 or max-history=3");
    assertThat(GcRules.policy(intersection(versions(3), seconds(2))))
        .hasToString("max-history=3 and max-age=2000000");
    assertThat(GcRules.policy(intersection(union(versions(1), seconds(2)), versions(5))))
        .hasToString("max-history=5");
  }

  /** The text of a policy, by which schemas are kept, must say the same as the rule. */
  @Test
  void randomTreesPurgeWhatTheySay() {
    for (int seed = 0; seed < 300; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      GcRule rule = random(random, 3);
      PurgePolicy policy = PurgePolicy.parse(GcRules.policy(rule).toString());
      PurgePolicy again = GcRules.policy(GcRules.rule(policy));
      for (int newer = 0; newer < 6; newer++) {
        for (int age = 0; age < 6; age++) {
          long timestamp = NOW - age * 1_000_000L - 1;
          boolean expected = purges(rule, timestamp, newer);
          assertThat(policy.purges(timestamp, newer, NOW))
              .as("seed %d: %s as %s, %d newer, %d s old", seed, rule, policy, newer, age)
              .isEqualTo(expected);
          assertThat(again.purges(timestamp, newer, NOW))
              .as("seed %d, there and back", seed)
              .isEqualTo(expected);
        }
      }
    }
  }

  private static boolean purges(GcRule rule, long timestamp, int newer) {
    return switch (rule.getRuleCase()) {
      case MAX_NUM_VERSIONS -> newer >= rule.getMaxNumVersions();
      case MAX_AGE -> timestamp < NOW - rule.getMaxAge().getSeconds() * 1_000_000L;
      case UNION ->
          rule.getUnion().getRulesList().stream().anyMatch(each -> purges(each, timestamp, newer));
      case INTERSECTION ->
          rule.getIntersection().getRulesList().stream()
              .allMatch(each -> purges(each, timestamp, newer));
      case RULE_NOT_SET -> false;
    };
  }

  private static GcRule random(RandomGenerator random, int depth) {
    int kind = random.nextInt(depth == 0 ? 2 : 4);
    if (kind == 0) {
      return versions(1 + random.nextInt(5));
    }
    if (kind == 1) {
      return seconds(1 + random.nextInt(5));
    }
    GcRule[] parts =
        IntStream.range(0, 1 + random.nextInt(3))
            .mapToObj(_ -> random(random, depth - 1))
            .toArray(GcRule[]::new);
    return kind == 2 ? union(parts) : intersection(parts);
  }

  @Test
  void whatCannotBeIsRefused() {
    for (GcRule rule :
        List.of(
            versions(0), seconds(0), union(), intersection(), union(GcRule.getDefaultInstance()))) {
      assertThatThrownBy(() -> GcRules.policy(rule))
          .as("%s", rule)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("GC rule");
    }
  }
}
