package io.stele.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds for every chain; single cases stand in the golden files. */
class CompactionPolicyTest {
  private static final int SEEDS = 4_000;

  @Test
  void everyPlanIsOfAdjacentFragmentsAndWithinTheBounds() {
    int plans = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      CompactionSettings settings = randomSettings(random);
      List<FragmentShape> chain = randomChain(random);

      Optional<CompactionPlan> plan = new CompactionPolicy(settings).plan(chain);

      if (plan.isPresent()) {
        CompactionPlan found = plan.get();
        assertThat(found.from()).as("seed %d", seed).isGreaterThanOrEqualTo(0);
        assertThat(found.to()).as("seed %d", seed).isLessThanOrEqualTo(chain.size());
        assertThat(found.width()).as("seed %d", seed).isBetween(2, settings.maxWidth());
        assertThat(found.rooted()).as("seed %d", seed).isEqualTo(found.from() == 0);
        assertThat(found.reason()).as("seed %d", seed).isNotBlank();
        plans++;
      }
    }
    assertThat(plans).isGreaterThan(SEEDS / 4);
  }

  @Test
  void repeatedPlanningEndsWithAChainThatBreaksNoRule() {
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      CompactionSettings settings = randomSettings(random);
      ChainModel model = new ChainModel(randomChain(random));

      int steps = settle(new CompactionPolicy(settings), model, seed);

      List<FragmentShape> chain = model.chain();
      assertThat(steps).as("seed %d", seed).isLessThan(42);
      assertThat(chain.size())
          .as("seed %d", seed)
          .isLessThanOrEqualTo(Math.min(settings.maxFragments(), settings.maxWidth()));
      if (chain.size() >= settings.minWidth()) {
        long above = chain.stream().skip(1).mapToLong(FragmentShape::bytes).sum();
        assertThat(above * 100.0)
            .as("seed %d", seed)
            .isLessThanOrEqualTo(chain.getFirst().bytes() * (double) settings.spacePercent());
      }
    }
  }

  @Test
  void aFullPlanTakesEverything() {
    CompactionPolicy policy = new CompactionPolicy(CompactionSettings.DEFAULT);
    assertThat(policy.fullPlan(List.of())).isEmpty();
    for (int length = 1; length < 40; length++) {
      CompactionPlan plan = policy.fullPlan(randomChain(RandomSource.seeded(length), length)).get();

      assertThat(plan.from()).isZero();
      assertThat(plan.to()).isEqualTo(length);
      assertThat(plan.rooted()).isTrue();
    }
  }

  /** A long fill: the chain stays short and bytes are rewritten a logarithmic number of times. */
  @ParameterizedTest
  @CsvSource({
    "  100, 100, 100, 4.5",
    " 1000, 100, 100, 5.5",
    " 5000, 100, 100, 7.0",
    " 1000,  20, 180, 6.0",
    " 5000,  20, 180, 7.0",
    " 5000,   1, 500, 7.5",
  })
  void aFillWritesEachByteAFewTimes(int flushes, int least, int most, double bound) {
    RandomGenerator random = RandomSource.seeded(17);
    LongSupplier size = () -> random.nextInt(least, most + 1) * 1_000_000L;
    ChainModel model = new ChainModel(List.of());
    CompactionPolicy policy = new CompactionPolicy(CompactionSettings.DEFAULT);
    long fragmentsRead = 0;
    for (int i = 0; i < flushes; i++) {
      long bytes = size.getAsLong();
      model.flush(new FragmentShape(bytes, bytes / 1000, 0));
      settle(policy, model, i);
      fragmentsRead += model.chain().size();
      assertThat(model.chain().size()).isLessThanOrEqualTo(12);
    }

    double meanLength = (double) fragmentsRead / flushes;
    System.out.printf(
        "%d flushes of %d to %d MB: written %.2f times, mean chain length %.1f%n",
        flushes, least, most, model.writeAmplification(), meanLength);
    assertThat(model.writeAmplification()).isLessThan(bound);
    assertThat(meanLength).isLessThan(8.5);
  }

  /** Rows that come and go: what is stored stays near what is alive. */
  @Test
  void erasuresDoNotPileUp() {
    ChainModel model = new ChainModel(List.of());
    CompactionPolicy policy = new CompactionPolicy(CompactionSettings.DEFAULT);
    for (int i = 0; i < 2_000; i++) {
      model.flush(new FragmentShape(64_000_000, 64_000, 31_000));
      settle(policy, model, i);
      long cells = model.chain().stream().mapToLong(FragmentShape::cells).sum();
      long alive = 2_000L * (i + 1);
      assertThat(cells).as("after %d flushes", i + 1).isLessThan(3 * alive + 4 * 64_000);
    }
    assertThat(model.writeAmplification()).isLessThan(5);
  }

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    assertThat(CompactionSettings.DEFAULT)
        .isEqualTo(new CompactionSettings(4, 16, 12, 120, 100, 30, 4, 20));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 16, 12, 120, 100, 30, 4, 20, min width of 1: must be 2 to 1000",
    "4,  3, 12, 120, 100, 30, 4, 20, max width of 3: must be 4 to 1000",
    "4, 16,  0, 120, 100, 30, 4, 20, max fragments of 0: must be 1 to 1000",
    "4, 16, 12,  99, 100, 30, 4, 20, run percent of 99: must be 100 to 10000",
    "4, 16, 12, 120,   0, 30, 4, 20, space percent of 0: must be 1 to 100000",
    "4, 16, 12, 120, 100,  0, 4, 20, erasure percent of 0: must be 1 to 100",
    "4, 16, 12, 120, 100, 30, 0, 20, erasure reach of 0: must be 1 to 1000",
    "4, 16, 12, 120, 100, 30, 4,  0, garbage percent of 0: must be 1 to 100",
  })
  void settingsOutOfRangeAreNamed(
      int minWidth,
      int maxWidth,
      int fragments,
      int run,
      int space,
      int erasure,
      int reach,
      int garbage,
      String message) {
    assertThatThrownBy(
            () ->
                new CompactionSettings(
                    minWidth, maxWidth, fragments, run, space, erasure, reach, garbage))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("compaction " + message);
  }

  @Test
  void settingsChangeOneByOne() {
    assertThat(CompactionSettings.DEFAULT.withWidths(2, 5))
        .isEqualTo(settings(2, 5, 12, 120, 100, 30, 4));
    assertThat(CompactionSettings.DEFAULT.withMaxFragments(7))
        .isEqualTo(settings(4, 16, 7, 120, 100, 30, 4));
    assertThat(CompactionSettings.DEFAULT.withRunPercent(150))
        .isEqualTo(settings(4, 16, 12, 150, 100, 30, 4));
    assertThat(CompactionSettings.DEFAULT.withSpacePercent(50))
        .isEqualTo(settings(4, 16, 12, 120, 50, 30, 4));
    assertThat(CompactionSettings.DEFAULT.withErasures(10, 2))
        .isEqualTo(settings(4, 16, 12, 120, 100, 10, 2));
  }

  @Test
  void shapesAndPlansThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> new FragmentShape(1, 2, 3)).hasMessageContaining("3 of them erasures");
    assertThatThrownBy(() -> new FragmentShape(-1, 2, 0)).hasMessageContaining("-1 bytes");
    assertThatThrownBy(() -> new CompactionPlan(2, 2, "")).hasMessageContaining("[2, 2)");
    assertThatThrownBy(() -> new CompactionPlan(-1, 2, "")).hasMessageContaining("[-1, 2)");
  }

  private static CompactionSettings settings(
      int minWidth, int maxWidth, int fragments, int run, int space, int erasure, int reach) {
    return new CompactionSettings(
        minWidth,
        maxWidth,
        fragments,
        run,
        space,
        erasure,
        reach,
        CompactionSettings.DEFAULT.garbagePercent());
  }

  private static int settle(CompactionPolicy policy, ChainModel model, long seed) {
    int steps = 0;
    Optional<CompactionPlan> plan = policy.plan(model.chain());
    while (plan.isPresent()) {
      model.merge(plan.get());
      assertThat(++steps).as("steps, seed %d", seed).isLessThan(1000);
      plan = policy.plan(model.chain());
    }
    return steps;
  }

  private static CompactionSettings randomSettings(RandomGenerator random) {
    int minWidth = random.nextInt(2, 7);
    return new CompactionSettings(
        minWidth,
        random.nextInt(minWidth, 20),
        random.nextInt(1, 24),
        random.nextInt(100, 300),
        random.nextInt(1, 400),
        random.nextInt(1, 101),
        random.nextInt(1, 10),
        CompactionSettings.DEFAULT.garbagePercent());
  }

  private static List<FragmentShape> randomChain(RandomGenerator random) {
    return randomChain(random, random.nextInt(0, 42));
  }

  private static List<FragmentShape> randomChain(RandomGenerator random, int length) {
    List<FragmentShape> chain = new ArrayList<>();
    int spread = random.nextInt(1, 40); // bits: from all alike to anything
    int share = random.nextInt(1, 101);
    for (int i = 0; i < length; i++) {
      long cells = 1 + (random.nextLong() >>> (64 - random.nextInt(1, spread + 1)));
      long erasures = random.nextInt(4) == 0 ? cells * share / 100 : 0;
      chain.add(new FragmentShape(cells * random.nextInt(1, 200), cells, erasures));
    }
    return chain;
  }
}
