package io.stele.base.recordlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Crashes a log at every sync point, with whatever a disk may then keep of the unsynced bytes: what
 * was synced is there, what is there was appended, in order, and a crash never looks like rot.
 */
class RecordLogCrashTest {
  private static final FilePath PATH = FilePath.of("log/000001.log");

  /** Random appends, writes and syncs, and how many records were durable when it ended. */
  private static final class History {
    final List<Bytes> appended = new ArrayList<>();
    int durable;

    void run(MemoryFileStore files, long seed) throws IOException {
      RandomGenerator random = RandomSource.seeded(seed);
      long step = random.nextBoolean() ? 0 : 1 + random.nextInt(3_000);
      try (RecordLogWriter writer = RecordLogWriter.create(files, PATH, step, random)) {
        for (int i = 0; i < 30; i++) {
          byte[] payload = new byte[1 + random.nextInt(i % 5 == 0 ? 900 : 40)];
          random.nextBytes(payload);
          appended.add(Bytes.of(payload));
          writer.append(payload, 0, payload.length);
          switch (random.nextInt(5)) {
            case 0, 1 -> writer.write();
            case 2 -> {
              writer.sync();
              durable = appended.size();
            }
            default -> {}
          }
        }
      }
      durable = appended.size();
    }
  }

  @Test
  void whatWasSyncedSurvivesACrashAtEverySyncPoint() throws IOException {
    int torn = 0;
    for (long seed = 0; seed < 60; seed++) {
      MemoryFileStore whole = new MemoryFileStore();
      new History().run(whole, seed);
      for (long k = 1; k <= whole.syncPoints(); k++) {
        MemoryFileStore files = new MemoryFileStore();
        files.crashAtSync(k);
        History history = new History();
        try {
          history.run(files, seed);
          assertThat(history).as("seed %d did not crash at sync %d", seed, k).isNull();
        } catch (IOException crashed) {
          for (CrashMode mode : modes(seed * 1_000 + k)) {
            torn += check(files.crash(mode), history, "seed " + seed + ", sync " + k + ", " + mode);
          }
        }
      }
    }
    assertThat(torn).as("torn tails seen").isGreaterThan(500);
  }

  @Test
  void aClosedLogSurvivesAnyCrashWhole() throws IOException {
    for (long seed = 0; seed < 60; seed++) {
      MemoryFileStore files = new MemoryFileStore();
      History history = new History();
      history.run(files, seed);
      for (CrashMode mode : modes(seed)) {
        check(files.crash(mode), history, "seed " + seed + ", " + mode);
      }
    }
  }

  /** Returns 1 if the tail is torn. */
  private static int check(MemoryFileStore survivor, History history, String what)
      throws IOException {
    if (survivor.stat(PATH).isEmpty()) {
      assertThat(history.durable).as(what).isZero();
      return 0;
    }
    List<Bytes> read = new ArrayList<>();
    Tail tail = LogBytes.readAll(survivor, PATH, read);
    assertThat(read.size()).as(what).isBetween(history.durable, history.appended.size());
    assertThat(read).as(what).isEqualTo(history.appended.subList(0, read.size()));
    return tail instanceof Tail.Torn ? 1 : 0;
  }

  private static List<CrashMode> modes(long seed) {
    return List.of(
        CrashMode.dropUnsynced(),
        CrashMode.processKilled(),
        CrashMode.tornTails(seed, CrashMode.Tail.NONE),
        CrashMode.tornTails(seed, CrashMode.Tail.ZEROS),
        CrashMode.tornTails(seed, CrashMode.Tail.GARBAGE),
        CrashMode.scattered(seed),
        CrashMode.scattered(seed + 1));
  }
}
