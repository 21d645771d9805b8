package io.stele.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.RandomSource;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class NearestNameTest {
  private static final List<String> COMMANDS = List.of("up", "scan", "shell", "server", "bench");

  @Test
  void aSlipIsForgiven() {
    assertThat(NearestName.of("bnech", COMMANDS)).contains("bench");
    assertThat(NearestName.of("serve", COMMANDS)).contains("server");
    assertThat(NearestName.of("shelll", COMMANDS)).contains("shell");
    assertThat(NearestName.of("BENCH", COMMANDS)).contains("bench");
    assertThat(NearestName.of("engine.blok-szie", List.of("engine.block-size", "log.roll-size")))
        .contains("engine.block-size");
  }

  @Test
  void aNameThatIsFarFromAllGetsNoSuggestion() {
    assertThat(NearestName.of("dataset", COMMANDS)).isEmpty();
    assertThat(NearestName.of("xy", COMMANDS)).isEmpty();
    assertThat(NearestName.of("", COMMANDS)).isEmpty();
    assertThat(NearestName.of("scan", List.of())).isEmpty();
  }

  @Test
  void ofEquallyNearNamesTheFirstInOrderIsTaken() {
    assertThat(NearestName.of("row4", List.of("row3", "row1", "row2"))).contains("row1");
  }

  @Test
  void slipsAreCounted() {
    assertThat(NearestName.slips("", "abc")).isEqualTo(3);
    assertThat(NearestName.slips("abc", "")).isEqualTo(3);
    assertThat(NearestName.slips("abc", "acb")).isEqualTo(1);
    assertThat(NearestName.slips("abcd", "badc")).isEqualTo(2);
    assertThat(NearestName.slips("kitten", "sitting")).isEqualTo(3);
  }

  @Test
  void slipsAreSymmetricAndZeroOnlyForEqualText() {
    for (long seed = 0; seed < 5_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      String left = text(random);
      String right = text(random);
      int slips = NearestName.slips(left, right);
      String what = "seed %d: %s and %s".formatted(seed, left, right);
      assertThat(slips).as(what).isEqualTo(NearestName.slips(right, left));
      assertThat(slips == 0).as(what).isEqualTo(left.equals(right));
      assertThat(slips).as(what).isLessThanOrEqualTo(Math.max(left.length(), right.length()));
    }
  }

  private static String text(RandomGenerator random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append((char) ('a' + random.nextInt(3)));
    }
    return text.toString();
  }
}
