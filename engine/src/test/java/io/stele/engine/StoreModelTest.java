package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.model.History;
import io.stele.engine.model.HistoryGenerator;
import io.stele.engine.model.ModelRun;
import io.stele.engine.model.Setups;
import io.stele.engine.model.Shrinker;
import io.stele.engine.model.StoreRun;
import io.stele.testkit.run.LongRun;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories against a model that is a list of changes, each under several random settings:
 * block sizes, codecs, memory, compaction, log files and cache must not show in any answer.
 *
 * <p>To play one again: {@code HistoryGenerator.generate(seed, length)} and {@code
 * Setups.random(setupSeed)} of the failure's message.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreModelTest {
  private static final int LENGTH = 120;
  private static final int LONG = 600;
  private static final int SHRINKS = 400;

  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicInteger compactions = new AtomicInteger();
  private final AtomicInteger partial = new AtomicInteger();

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void anyHistoryUnderAnySettingsGivesTheModelsAnswers(long seed) {
    compare(seed, 10, 4, LENGTH);
    assertThat(flushes).as("flushes, seed %d", seed).hasPositiveValue();
    assertThat(compactions).as("compactions, seed %d", seed).hasPositiveValue();
    assertThat(partial).as("compactions without the oldest, seed %d", seed).hasPositiveValue();
  }

  @Test
  @Tag(LongRun.TAG)
  void manyLongHistoriesGiveTheModelsAnswers() throws Exception {
    LongRun.repeat(
        StoreModelTest.class, 3, seed -> compare(seed, 10, 4, LENGTH) + compare(seed, 1, 6, LONG));
  }

  /** Returns the number of histories that were compared. */
  private long compare(long seed, int histories, int setups, int length) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < histories; i++) {
      long historySeed = random.nextLong();
      History history = HistoryGenerator.generate(historySeed, length);
      List<String> expected = ModelRun.answers(history);
      for (int k = 0; k < setups; k++) {
        long setupSeed = random.nextLong();
        StoreRun.Setup setup = Setups.random(setupSeed);
        String difference = difference(expected, history, setup);
        if (!difference.isEmpty()) {
          throw new AssertionError(
              describe(historySeed, length, setupSeed, history, setup, difference));
        }
      }
    }
    return (long) histories * setups;
  }

  /** The first answer that is not the model's; empty if all are. */
  private String difference(List<String> expected, History history, StoreRun.Setup setup) {
    List<String> found;
    try {
      found = StoreRun.answers(history, setup, this::count);
    } catch (RuntimeException e) {
      return "failed with " + e;
    }
    for (int i = 0; i < Math.min(expected.size(), found.size()); i++) {
      if (!expected.get(i).equals(found.get(i))) {
        return "expected " + expected.get(i) + "\n   found " + found.get(i);
      }
    }
    return expected.size() == found.size()
        ? ""
        : "expected " + expected.size() + " answers, found " + found.size();
  }

  private String describe(
      long seed, int length, long setupSeed, History history, StoreRun.Setup setup, String first) {
    History small =
        new Shrinker(h -> !difference(ModelRun.answers(h), h, setup).isEmpty(), SHRINKS)
            .shrink(history);
    return "history of seed %d (length %d), setup of seed %d\n%s\n\nshrunk to:\n%s\n\n%s\n\n%s"
        .formatted(
            seed,
            length,
            setupSeed,
            first,
            small,
            difference(ModelRun.answers(small), small, setup),
            setup);
  }

  private void count(StoreEvent event) {
    switch (event) {
      case StoreEvent.Flushed _ -> flushes.incrementAndGet();
      case StoreEvent.Compacted compacted -> {
        compactions.incrementAndGet();
        partial.addAndGet(compacted.plan().rooted() ? 0 : 1);
      }
      case StoreEvent.Opened _, StoreEvent.BackgroundFailed _, StoreEvent.WorkerDied _ -> {}
    }
  }
}
