package io.stele.base.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.time.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What only a store in memory has: crashes, failures, a full disk, damage. */
class MemoryFileStoreTest {
  private static final FilePath LOG = FilePath.of("log/1");
  private static final CrashMode DROP = CrashMode.dropUnsynced();

  private final MemoryFileStore store = new MemoryFileStore();

  @Nested
  class Crash {
    @Test
    void keepsWhatWasSyncedAndNothingElse() throws IOException {
      WritableFile file = store.create(LOG);
      write(file, "synced");
      file.sync();
      write(file, " not");
      store.create(FilePath.of("other/unsynced"));

      MemoryFileStore survivor = store.crash(DROP);
      assertThat(read(survivor, LOG)).isEqualTo("synced");
      assertThat(survivor.stat(FilePath.of("other"))).isEmpty();
      assertThat(survivor.list(FilePath.ROOT)).hasSize(1);
    }

    @Test
    void losesAllOfAFileThatWasClosedButNeverSynced() throws IOException {
      try (WritableFile file = store.create(LOG)) {
        write(file, "gone");
      }
      assertThat(read(store, LOG)).isEqualTo("gone");
      assertThat(store.crash(DROP).stat(LOG)).isEmpty();
    }

    @Test
    void keepsFinishedReplacedAndRenamedFiles() throws IOException {
      try (WritableFile file = store.create(FilePath.of("a/1"))) {
        write(file, "one");
        file.finish();
      }
      store.replace(FilePath.of("b/2"), bytes("old"));
      store.replace(FilePath.of("b/2"), bytes("new"));
      store.replace(FilePath.of("c/3"), bytes("three"));
      store.rename(FilePath.of("c/3"), FilePath.of("d/3"));

      MemoryFileStore survivor = store.crash(DROP);
      assertThat(read(survivor, FilePath.of("a/1"))).isEqualTo("one");
      assertThat(read(survivor, FilePath.of("b/2"))).isEqualTo("new");
      assertThat(read(survivor, FilePath.of("d/3"))).isEqualTo("three");
      assertThat(survivor.stat(FilePath.of("c/3"))).isEmpty();
    }

    @Test
    void undoesADeletionUnlessItsDirectoryWasSyncedSince() throws IOException {
      FilePath first = FilePath.of("a/1");
      FilePath second = FilePath.of("b/1");
      store.replace(first, bytes("one"));
      store.replace(second, bytes("two"));
      store.delete(first);
      store.delete(second);
      store.replace(FilePath.of("b/2"), bytes("settles b"));

      MemoryFileStore survivor = store.crash(DROP);
      assertThat(read(survivor, first)).isEqualTo("one");
      assertThat(survivor.stat(second)).isEmpty();
    }

    @Test
    void bringsBackTheOldFileIfTheNewOneOfThatNameWasNotSynced() throws IOException {
      store.replace(LOG, bytes("old"));
      store.delete(LOG);
      write(store.create(LOG), "new");

      assertThat(read(store.crash(DROP), LOG)).isEqualTo("old");
    }

    @Test
    void leavesAnUnsyncedFileEmptyIfANeighbourSettledItsName() throws IOException {
      write(store.create(LOG), "unsynced");
      store.replace(LOG.parent().resolve("2"), bytes("neighbour"));

      assertThat(read(store.crash(DROP), LOG)).isEmpty();
    }

    @Test
    void aFileDoesNotComeBackWhereADirectoryIsNow() throws IOException {
      store.replace(FilePath.of("a"), bytes("file"));
      store.delete(FilePath.of("a"));
      store.replace(FilePath.of("a/b"), bytes("below"));

      MemoryFileStore survivor = store.crash(DROP);
      assertThat(read(survivor, FilePath.of("a/b"))).isEqualTo("below");
      assertThat(survivor.stat(FilePath.of("a")).orElseThrow().directory()).isTrue();
    }

    @Test
    void findsZerosBehindAPreallocatedFileUntilItWasFinished() throws IOException {
      WritableFile file = store.create(LOG);
      file.preallocate(10);
      write(file, "abc");
      file.sync();
      write(file, "lost");
      assertThat(read(store.crash(DROP), LOG)).isEqualTo("abc" + "\0".repeat(7));

      MemoryFileStore other = new MemoryFileStore();
      file = other.create(LOG);
      file.preallocate(10);
      write(file, "abc");
      file.finish();
      assertThat(read(other.crash(DROP), LOG)).isEqualTo("abc");
    }

    @Test
    void ofTheProcessAloneLosesNothing() throws IOException {
      write(store.create(LOG), "written");
      assertThat(read(store.crash(CrashMode.processKilled()), LOG)).isEqualTo("written");
    }

    @Test
    void ofTheProcessMakesNothingDurable() throws IOException {
      FilePath deleted = FilePath.of("log/deleted");
      store.replace(deleted, bytes("deleted"));
      WritableFile file = store.create(LOG);
      file.preallocate(10);
      write(file, "synced ");
      file.sync();
      write(file, "not");
      store.delete(deleted);

      MemoryFileStore restarted = store.crash(CrashMode.processKilled());
      assertThat(read(restarted, LOG)).isEqualTo("synced not");
      assertThat(restarted.stat(deleted)).isEmpty();
      MemoryFileStore afterPowerLoss = restarted.crash(DROP);
      assertThat(read(afterPowerLoss, LOG)).isEqualTo("synced " + "\0".repeat(3));
      assertThat(read(afterPowerLoss, deleted)).isEqualTo("deleted");
    }

    @Test
    void cannotTakeWhatWasSyncedAfterARestart() throws IOException {
      write(store.create(LOG), "written");
      MemoryFileStore restarted = store.crash(CrashMode.processKilled());
      long before = restarted.syncPoints();
      restarted.sync(LOG);

      assertThat(restarted.syncPoints()).isEqualTo(before + 1);
      assertThat(read(restarted.crash(DROP), LOG)).isEqualTo("written");
    }

    @ParameterizedTest
    @EnumSource(CrashMode.Tail.class)
    void tearsTailsOnlyBehindWhatWasSynced(CrashMode.Tail tail) throws IOException {
      byte[] content = new byte[100];
      Arrays.fill(content, (byte) 'x');
      WritableFile file = store.create(LOG);
      file.write(content, 0, 40);
      file.sync();
      file.write(content, 40, 60);

      Set<Integer> kept = new HashSet<>();
      for (long seed = 0; seed < 500; seed++) {
        byte[] found = readBytes(store.crash(CrashMode.tornTails(seed, tail)), LOG);
        int same = 0;
        while (same < found.length && found[same] == 'x') {
          same++;
        }
        assertThat(same).as("seed %d", seed).isGreaterThanOrEqualTo(40);
        assertThat(found.length).isEqualTo(tail == CrashMode.Tail.NONE ? same : 100);
        if (tail == CrashMode.Tail.ZEROS) {
          assertThat(Arrays.copyOfRange(found, same, 100)).isEqualTo(new byte[100 - same]);
        }
        kept.add(same);
      }
      assertThat(kept).contains(40, 41, 70, 99, 100);
    }

    @Test
    void scattersSectorsBehindWhatWasSynced() throws IOException {
      byte[] content = new byte[4096];
      Arrays.fill(content, (byte) 'x');
      WritableFile file = store.create(LOG);
      file.preallocate(4096);
      file.write(content, 0, 700);
      file.sync();
      file.write(content, 700, 4096 - 700);

      boolean hole = false;
      for (long seed = 0; seed < 100; seed++) {
        byte[] found = readBytes(store.crash(CrashMode.scattered(seed)), LOG);
        assertThat(found).hasSize(4096);
        assertThat(Arrays.copyOf(found, 700)).containsOnly('x');
        hole |= found[1100] == 0 && found[1600] == 'x';
      }
      assertThat(hole).isTrue();
    }

    @Test
    void isTheSameForTheSameSeedAndLeavesTheSourceAlone() throws IOException {
      WritableFile file = store.create(LOG);
      write(file, "a".repeat(1000));
      file.sync();
      write(file, "b".repeat(1000));
      CrashMode mode = CrashMode.tornTails(7, CrashMode.Tail.GARBAGE);

      assertThat(readBytes(store.crash(mode), LOG)).isEqualTo(readBytes(store.crash(mode), LOG));
      assertThat(readBytes(store.crash(CrashMode.processKilled()), LOG)).hasSize(2000);
    }

    @Test
    void mayGoEitherWayForNamesThatWereNotSettled() throws IOException {
      store.replace(FilePath.of("deleted"), bytes("deleted"));
      store.delete(FilePath.of("deleted"));
      write(store.create(FilePath.of("made")), "made");

      Set<String> outcomes = new HashSet<>();
      for (long seed = 0; seed < 100; seed++) {
        MemoryFileStore survivor = store.crash(CrashMode.tornTails(seed, CrashMode.Tail.NONE));
        outcomes.add(
            survivor.stat(FilePath.of("deleted")).isPresent()
                + " "
                + survivor.stat(FilePath.of("made")).isPresent());
      }
      assertThat(outcomes).hasSize(4);
    }

    @Test
    void endsTheOldStoreAndItsFiles() throws IOException {
      store.replace(LOG, bytes("x"));
      ReadableFile reader = store.open(LOG);
      WritableFile writer = store.create(FilePath.of("log/2"));
      store.crash(DROP);

      assertThatThrownBy(() -> store.list(FilePath.ROOT)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> writer.write(new byte[1], 0, 1)).isInstanceOf(IOException.class);
      assertThatThrownBy(writer::sync).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> reader.read(0, new byte[1], 0, 1)).isInstanceOf(IOException.class);
      writer.close();
    }
  }

  @Nested
  class SyncPoints {
    private void history(MemoryFileStore target) throws IOException {
      try (WritableFile file = target.create(LOG)) {
        file.preallocate(100); // 1
        write(file, "a");
        file.sync(); // 2
        write(file, "b");
        file.sync(); // 3
        write(file, "c");
        file.finish(); // 4
      }
      target.replace(FilePath.of("pointer"), bytes("1")); // 5
      target.rename(LOG, FilePath.of("log/old")); // 6
      target.replace(FilePath.of("pointer"), bytes("2")); // 7
    }

    @Test
    void areCounted() throws IOException {
      history(store);
      assertThat(store.syncPoints()).isEqualTo(7);
    }

    @Test
    void canBeCrashedAtOneByOne() throws IOException {
      List<String> found = new ArrayList<>();
      for (int k = 1; k <= 8; k++) {
        MemoryFileStore target = new MemoryFileStore();
        target.crashAtSync(k);
        if (k <= 7) {
          assertThatThrownBy(() -> history(target))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("crashed at sync point " + k);
          assertThatThrownBy(() -> target.stat(LOG)).isInstanceOf(IOException.class);
        } else {
          history(target);
        }
        found.add(contents(target.crash(DROP)));
      }
      assertThat(found)
          .containsExactly(
              "",
              "",
              "log/1=a ",
              "log/1=ab ",
              "log/1=abc ",
              "log/1=abc pointer=1 ",
              "log/old=abc pointer=1 ",
              "log/old=abc pointer=2 ");
    }

    @Test
    void mayHaveTakenEffectWhenARandomCrashHitThem() throws IOException {
      Set<String> found = new HashSet<>();
      for (long seed = 0; seed < 50; seed++) {
        MemoryFileStore target = new MemoryFileStore();
        target.crashAtSync(6);
        assertThatThrownBy(() -> history(target)).isInstanceOf(IOException.class);
        found.add(contents(target.crash(CrashMode.tornTails(seed, CrashMode.Tail.NONE))));
      }
      assertThat(found).containsExactlyInAnyOrder("log/1=abc pointer=1 ", "log/old=abc pointer=1 ");
    }

    @Test
    void areCountedFromTheCallThatCrashesAtOne() throws IOException {
      store.replace(LOG, bytes("x"));
      assertThat(store.crashAtSync(2)).isEqualTo(store.syncPoints() + 2);
      store.replace(LOG, bytes("y"));
      assertThatThrownBy(() -> store.replace(LOG, bytes("z")))
          .hasMessageContaining("crashed at sync point " + store.syncPoints());
      assertThatThrownBy(() -> store.crashAtSync(0)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String contents(MemoryFileStore target) throws IOException {
      StringBuilder result = new StringBuilder();
      for (FilePath directory : List.of(FilePath.of("log"), FilePath.ROOT)) {
        for (FileInfo info : target.list(directory)) {
          if (!info.directory()) {
            String content = read(target, info.path()).replace("\0", "");
            result.append(info.path()).append('=').append(content).append(' ');
          }
        }
      }
      return result.toString();
    }
  }

  @Nested
  class Failures {
    @Test
    void hitTheNthCallFromNowAndNoOther() throws IOException {
      store.stat(LOG);
      store.failNth(StoreCall.STAT, 2, () -> new IOException("asked for"));
      store.stat(LOG);
      assertThatThrownBy(() -> store.stat(LOG)).hasMessage("asked for");
      store.stat(LOG);
      assertThat(store.calls(StoreCall.STAT)).isEqualTo(4);
    }

    @Test
    void hitEveryCallFromTheNthOnUntilForgotten() throws IOException {
      store.failFrom(StoreCall.LIST, 2, () -> new IOException("asked for"));
      store.list(FilePath.ROOT);
      assertThatThrownBy(() -> store.list(FilePath.ROOT)).hasMessage("asked for");
      assertThatThrownBy(() -> store.list(FilePath.ROOT)).hasMessage("asked for");
      store.clearFailures();
      assertThat(store.list(FilePath.ROOT)).isEmpty();
    }

    @Test
    void haveNoEffect() throws IOException {
      store.replace(LOG, bytes("old"));
      FilePath other = FilePath.of("other");
      for (StoreCall call :
          new StoreCall[] {
            StoreCall.CREATE, StoreCall.REPLACE, StoreCall.RENAME, StoreCall.DELETE
          }) {
        store.failNth(call, 1, () -> new IOException("asked for"));
      }
      assertThatThrownBy(() -> store.create(other)).hasMessage("asked for");
      assertThatThrownBy(() -> store.replace(LOG, bytes("new"))).hasMessage("asked for");
      assertThatThrownBy(() -> store.rename(LOG, other)).hasMessage("asked for");
      assertThatThrownBy(() -> store.delete(LOG)).hasMessage("asked for");
      assertThat(read(store, LOG)).isEqualTo("old");
      assertThat(store.stat(other)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE", "SYNC", "FINISH", "PREALLOCATE"})
    void ofAFileEndIt(StoreCall call) throws IOException {
      WritableFile file = store.create(LOG);
      write(file, "a");
      file.sync();
      store.failNth(call, 1, () -> new IOException("asked for"));
      assertThatThrownBy(
              () -> {
                write(file, "b");
                file.preallocate(10);
                file.sync();
                file.finish();
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("log/1")
          .hasMessageContaining("asked for");
      assertThatThrownBy(() -> write(file, "c")).hasMessageContaining("earlier call failed");
      assertThatThrownBy(file::sync).hasMessageContaining("earlier call failed");
      assertThatThrownBy(file::finish).hasMessageContaining("earlier call failed");
    }

    @Test
    void hitReads() throws IOException {
      store.replace(LOG, bytes("abc"));
      try (ReadableFile file = store.open(LOG)) {
        store.failNth(StoreCall.READ, 2, () -> new IOException("asked for"));
        file.read(0, new byte[3], 0, 3);
        assertThatThrownBy(() -> file.read(0, new byte[3], 0, 3)).hasMessage("asked for");
        file.read(0, new byte[3], 0, 3);
      }
    }
  }

  @Nested
  class Capacity {
    @Test
    void stopsWritesInTheMiddle() throws IOException {
      store.capacity(10);
      WritableFile file = store.create(LOG);
      write(file, "1234567");
      assertThatThrownBy(() -> write(file, "89abc"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no space left")
          .hasMessageContaining("log/1");
      assertThat(read(store, LOG)).isEqualTo("123456789a");
      assertThatThrownBy(() -> store.replace(FilePath.of("other"), bytes("x")))
          .hasMessageContaining("no space left");

      store.delete(LOG);
      store.replace(FilePath.of("other"), bytes("x"));
    }

    @Test
    void countsWhatWasAllocatedAhead() throws IOException {
      store.capacity(10);
      WritableFile file = store.create(LOG);
      assertThatThrownBy(() -> store.create(FilePath.of("big")).preallocate(11))
          .hasMessageContaining("no space left");
      file.preallocate(10);
      assertThatThrownBy(() -> store.replace(FilePath.of("other"), bytes("x")))
          .hasMessageContaining("no space left");
      write(file, "1234567890");
      file.sync();
      assertThatThrownBy(() -> write(file, "x")).hasMessageContaining("no space left");
    }
  }

  @Nested
  class Damage {
    @Test
    void flipsOneBit() throws IOException {
      store.replace(LOG, new byte[] {0, 0, 0});
      try (ReadableFile open = store.open(LOG)) {
        store.corrupt(LOG, 8 + 3);
        byte[] found = new byte[3];
        open.read(0, found, 0, 3);
        assertThat(found).containsExactly(0, 8, 0);
      }
      assertThat(readBytes(store.crash(DROP), LOG)).containsExactly(0, 8, 0);
      assertThatThrownBy(() -> store.corrupt(LOG, 24)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void cutsAFile() throws IOException {
      store.replace(LOG, bytes("abcdef"));
      try (ReadableFile open = store.open(LOG)) {
        store.truncate(LOG, 2);
        assertThatThrownBy(() -> open.read(0, new byte[3], 0, 3)).isInstanceOf(EOFException.class);
      }
      assertThat(read(store, LOG)).isEqualTo("ab");
      assertThat(read(store.crash(DROP), LOG)).isEqualTo("ab");
    }
  }

  @Test
  void takesTimesFromItsClock() throws IOException {
    Clock clock =
        new Clock() {
          @Override
          public long micros() {
            return 1_700_000_000_123_456L;
          }

          @Override
          public long nanos() {
            return 0;
          }
        };
    MemoryFileStore timed = new MemoryFileStore(clock);
    timed.replace(LOG, bytes("x"));
    assertThat(timed.stat(LOG).orElseThrow().modified())
        .isEqualTo(Instant.parse("2023-11-14T22:13:20.123456Z"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void write(WritableFile file, String text) throws IOException {
    file.write(bytes(text), 0, text.length());
  }

  private static byte[] readBytes(FileStore store, FilePath path) throws IOException {
    try (ReadableFile file = store.open(path)) {
      byte[] content = new byte[(int) file.length()];
      file.read(0, content, 0, content.length);
      return content;
    }
  }

  private static String read(FileStore store, FilePath path) throws IOException {
    return new String(readBytes(store, path), StandardCharsets.US_ASCII);
  }
}
