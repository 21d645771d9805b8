package io.stele.gateway.bigtable.gc;

import com.google.bigtable.admin.v2.GcRule;
import com.google.protobuf.Duration;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.PurgePolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A rule as a purge policy, and back. Rules nest as they like; a policy is alternatives, of which
 * each asks for a number of newer versions, an age, or both:
 *
 * <pre>
 *   union(A, B)         purged by either                    A or B
 *   intersection(A, B)  purged only by both                 each of A with each of B
 *   two numbers or ages that must both hold are the larger one
 * </pre>
 */
public final class GcRules {
  private static final int MOST_ALTERNATIVES = 64;
  private static final long MICROS = 1_000_000;

  /**
   * Versions that have so many newer ones, and are so old.
   *
   * @param versions 0 if it does not matter
   * @param micros less than 0 if it does not matter
   */
  private record Alternative(int versions, long micros) {
    static final Comparator<Alternative> ORDER =
        Comparator.comparingInt(Alternative::versions).thenComparingLong(Alternative::micros);

    Alternative and(Alternative other) {
      return new Alternative(Math.max(versions, other.versions), Math.max(micros, other.micros));
    }

    /** Whatever the other purges, this one does. */
    boolean covers(Alternative other) {
      return versions <= other.versions && micros <= other.micros;
    }

    PurgePolicy policy() {
      if (versions == 0) {
        return new PurgePolicy.MaxAge(micros);
      }
      PurgePolicy history = new PurgePolicy.MaxHistory(versions);
      return micros < 0 ? history : new PurgePolicy.Both(history, new PurgePolicy.MaxAge(micros));
    }
  }

  private GcRules() {}

  /** What a rule purges; nothing if it is empty. */
  public static PurgePolicy policy(GcRule rule) {
    if (rule.getRuleCase() == GcRule.RuleCase.RULE_NOT_SET) {
      return PurgePolicy.NONE;
    }
    return simplest(alternatives(rule)).stream()
        .map(Alternative::policy)
        .reduce(PurgePolicy.Either::new)
        .orElseThrow();
  }

  private static Set<Alternative> alternatives(GcRule rule) {
    return switch (rule.getRuleCase()) {
      case MAX_NUM_VERSIONS -> Set.of(new Alternative(versions(rule.getMaxNumVersions()), -1));
      case MAX_AGE -> Set.of(new Alternative(0, micros(rule.getMaxAge())));
      case UNION -> {
        Set<Alternative> all = new LinkedHashSet<>();
        several("union", rule.getUnion().getRulesList())
            .forEach(each -> all.addAll(alternatives(each)));
        yield bounded(all);
      }
      case INTERSECTION -> {
        Set<Alternative> all = Set.of(new Alternative(0, -1));
        for (GcRule each : several("intersection", rule.getIntersection().getRulesList())) {
          all = bounded(crossed(all, alternatives(each)));
        }
        yield all;
      }
      case RULE_NOT_SET ->
          throw new InvalidRequestException(
              "a GC rule within another says nothing: must be max_num_versions, max_age, union or"
                  + " intersection");
    };
  }

  private static Set<Alternative> crossed(Set<Alternative> some, Set<Alternative> others) {
    Set<Alternative> all = new LinkedHashSet<>();
    some.forEach(one -> others.forEach(other -> all.add(one.and(other))));
    return all;
  }

  private static Set<Alternative> bounded(Set<Alternative> all) {
    Set<Alternative> simple = simplest(all);
    if (simple.size() > MOST_ALTERNATIVES) {
      throw new InvalidRequestException(
          "a GC rule that comes to "
              + simple.size()
              + " alternatives: must be at most "
              + MOST_ALTERNATIVES);
    }
    return simple;
  }

  private static SortedSet<Alternative> simplest(Set<Alternative> all) {
    SortedSet<Alternative> simple = new TreeSet<>(Alternative.ORDER);
    for (Alternative each : all) {
      if (all.stream().noneMatch(other -> !other.equals(each) && other.covers(each))) {
        simple.add(each);
      }
    }
    return simple;
  }

  private static List<GcRule> several(String what, List<GcRule> rules) {
    if (rules.isEmpty()) {
      throw new InvalidRequestException("a GC rule that is a " + what + " of no rules");
    }
    return rules;
  }

  private static int versions(int number) {
    if (number < 1) {
      throw new InvalidRequestException(
          "a GC rule with max_num_versions " + number + ": must be at least 1");
    }
    return number;
  }

  private static long micros(Duration age) {
    long micros;
    try {
      micros = Math.addExact(Math.multiplyExact(age.getSeconds(), MICROS), age.getNanos() / 1000);
    } catch (ArithmeticException e) {
      throw new InvalidRequestException(
          "a GC rule with max_age of " + age.getSeconds() + " seconds: is too long", e);
    }
    if (micros < 1000) {
      throw new InvalidRequestException(
          "a GC rule with max_age of " + micros + " microseconds: must be at least a millisecond");
    }
    return micros;
  }

  // ---- back

  /** A rule that says what a policy does; empty if it keeps everything. */
  public static GcRule rule(PurgePolicy policy) {
    return switch (policy) {
      case PurgePolicy.KeepAll _ -> GcRule.getDefaultInstance();
      case PurgePolicy.MaxHistory(int versions) ->
          GcRule.newBuilder().setMaxNumVersions(versions).build();
      case PurgePolicy.MaxAge(long micros) ->
          GcRule.newBuilder()
              .setMaxAge(
                  Duration.newBuilder()
                      .setSeconds(Math.floorDiv(micros, MICROS))
                      .setNanos((int) Math.floorMod(micros, MICROS) * 1000))
              .build();
      case PurgePolicy.Both both -> {
        List<GcRule> parts = new ArrayList<>();
        flatten(both, parts);
        yield GcRule.newBuilder()
            .setIntersection(GcRule.Intersection.newBuilder().addAllRules(parts))
            .build();
      }
      case PurgePolicy.Either either -> {
        List<GcRule> parts = new ArrayList<>();
        flatten(either, parts);
        yield GcRule.newBuilder().setUnion(GcRule.Union.newBuilder().addAllRules(parts)).build();
      }
    };
  }

  private static void flatten(PurgePolicy.Both both, List<GcRule> parts) {
    for (PurgePolicy part : List.of(both.first(), both.second())) {
      if (part instanceof PurgePolicy.Both nested) {
        flatten(nested, parts);
      } else {
        parts.add(rule(part));
      }
    }
  }

  private static void flatten(PurgePolicy.Either either, List<GcRule> parts) {
    for (PurgePolicy part : List.of(either.first(), either.second())) {
      if (part instanceof PurgePolicy.Either nested) {
        flatten(nested, parts);
      } else {
        parts.add(rule(part));
      }
    }
  }
}
