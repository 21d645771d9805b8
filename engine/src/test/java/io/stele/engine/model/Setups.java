package io.stele.engine.model;

import io.stele.engine.StoreSettings;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Settings that must not make a difference to any answer. */
public final class Setups {
  private static final Codec[] CODECS = Codec.values();

  private Setups() {}

  /** The setup of a seed. */
  public static StoreRun.Setup random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<StoreSettings> settings = new ArrayList<>();
    for (int n = random.nextInt(1, 4); n > 0; n--) {
      settings.add(settings(random));
    }
    long[] caches = {0, random.nextLong(8_000), 64L << 20};
    return new StoreRun.Setup(settings, caches[random.nextInt(caches.length)]);
  }

  private static CompactionSettings compaction(SplittableRandom random) {
    int minWidth = random.nextInt(2, 5);
    return CompactionSettings.DEFAULT
        .withWidths(minWidth, minWidth + random.nextInt(4))
        .withMaxFragments(random.nextInt(1, 8))
        .withRunPercent(random.nextInt(100, 300))
        .withSpacePercent(random.nextInt(1, 2_000))
        .withErasures(random.nextInt(1, 101), random.nextInt(1, 8));
  }

  private static StoreSettings settings(SplittableRandom random) {
    long memory = 1L << random.nextInt(12, 24);
    return StoreSettings.DEFAULT
        .withMemory(memory, memory * random.nextInt(1, 5))
        .withAutoCompact(random.nextBoolean())
        .withFragments(
            new FragmentSettings(CODECS[random.nextInt(CODECS.length)], 1 << random.nextInt(6, 17)))
        .withCompaction(compaction(random))
        .withCommitLog(
            new CommitLogSettings(
                1L << random.nextInt(6, 20),
                random.nextBoolean() ? 0 : 1L << random.nextInt(8, 16),
                1L << random.nextInt(4, 20),
                Duration.ofMillis(random.nextInt(1, 100))));
  }
}
