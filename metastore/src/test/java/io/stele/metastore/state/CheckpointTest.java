package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FileStore;
import io.stele.base.file.LocalFileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.RandomSource;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.raft.Position;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint is the whole state, found out if it is damaged, and installed all or nothing. */
class CheckpointTest {
  /** A state with something of every kind. */
  private static TestState filled() {
    TestState state = new TestState();
    long a = state.open();
    long b = state.open();
    state.run(put("/e", "1", a), put("/x", "1"), put("/y", "1"));
    state.set("/x", "2");
    state.remove("/y");
    state.compact(3);
    state.acquire(state.next(a), "/l", true, 10, 10);
    state.acquire(b, "/l", true);
    state.apply(
        new Command.SetAcl(Origin.NOBODY, bytes("/d"), List.of(new AclEntry("me", true, true))));
    return state;
  }

  private static byte[] checkpoint(MetastoreState state) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    state.writeCheckpoint(out);
    return out.toByteArray();
  }

  /** What came after the backup is lost, and what it handed out is not handed out again. */
  @Test
  void aRestoreGivesNoIdTokenOrRevisionTwice() throws Exception {
    try (TestState group = filled();
        TestState restored = new TestState()) {
      byte[] backup = checkpoint(group.state);
      List<String> keys = group.at(0);
      long lostSession = 0;
      for (int i = 0; i < 100; i++) {
        lostSession = group.open();
      }
      long lostToken = ((Answer.Granted) group.acquire(lostSession, "/late", true)).token();
      long lostRevision = group.set("/late", "1");

      Position position = restored.state.restore(new ByteArrayInputStream(backup));
      restored.goOnAfter(position);

      assertThat(restored.at(0)).isEqualTo(keys);
      long first = restored.state.revision();
      assertThat(first).isGreaterThan(lostRevision + 1_000_000);
      long session = restored.open();
      assertThat(session).isGreaterThan(lostSession);
      assertThat(((Answer.Granted) restored.acquire(session, "/late", true)).token())
          .isGreaterThan(lostToken);
      assertThat(restored.set("/x", "1")).isEqualTo(first + 1);
      assertThat(restored.changes(first)).containsExactly((first + 1) + " +/x=1 was 2");
      assertThatThrownBy(() -> restored.at(first - 1)).hasMessageContaining("compacted");
      restored.compact(first + 1);
      int commands = 0;
      while (((Answer.Reclaimed) restored.apply(new Command.Reclaim(100))).more()) {
        assertThat(++commands).isLessThan(10);
      }
      restored.state.flush();
      restored.reopen();
      assertThat(restored.state.revision()).isEqualTo(first + 1);
    }
  }

  /** Whoever takes a backup may stall: neither a newer state nor readers wait for that. */
  @Test
  void aStalledBackupHoldsUpNobody() throws Exception {
    try (TestState from = filled();
        TestState to = new TestState();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      to.set("/other", "x");
      byte[] before = checkpoint(to.state);
      CountDownLatch stalled = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      ByteArrayOutputStream backup = new ByteArrayOutputStream();
      OutputStream slow =
          new FilterOutputStream(backup) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              stalled.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              out.write(bytes, offset, length);
            }
          };
      Future<Position> writing = threads.submit(() -> to.state.writeCheckpoint(slow));
      try {
        assertThat(stalled.await(20, TimeUnit.SECONDS)).isTrue();
        byte[] checkpoint = checkpoint(from.state);
        Future<Position> installing =
            threads.submit(() -> to.state.installCheckpoint(new ByteArrayInputStream(checkpoint)));
        assertThat(installing.get(20, TimeUnit.SECONDS)).isEqualTo(from.state.applied());
        assertThat(threads.submit(() -> to.at(0)).get(20, TimeUnit.SECONDS)).isEqualTo(from.at(0));
        threads.submit(to.state::close).get(20, TimeUnit.SECONDS);
      } finally {
        goOn.countDown();
      }
      writing.get(20, TimeUnit.SECONDS);
      assertThat(backup.toByteArray()).as("the state it began with").isEqualTo(before);
    }
  }

  @Test
  void aCheckpointIsTheWholeState() throws Exception {
    try (TestState from = filled();
        TestState to = new TestState()) {
      to.set("/other", "x");
      List<Long> installed = new ArrayList<>();
      to.state.listen(
          new StateListener() {
            @Override
            public void installed(long revision) {
              installed.add(revision);
            }
          });
      byte[] checkpoint = checkpoint(from.state);
      Position position = to.state.installCheckpoint(new ByteArrayInputStream(checkpoint));
      assertThat(position).isEqualTo(from.state.applied());
      assertThat(installed).containsExactly(from.state.revision());
      for (int i = 0; i < 2; i++) {
        assertThat(to.state.flushed()).isEqualTo(position);
        assertThat(to.state.fingerprint()).isEqualTo(from.state.fingerprint());
        assertThat(to.state.revision()).isEqualTo(from.state.revision());
        assertThat(to.state.compacted()).isEqualTo(3);
        assertThat(to.at(3)).isEqualTo(from.at(3));
        assertThat(to.state.sessions()).isEqualTo(from.state.sessions());
        assertThat(to.state.lockState(bytes("/l"))).isEqualTo(from.state.lockState(bytes("/l")));
        assertThat(to.state.rules().of(bytes("/d/x"))).hasSize(1);
        assertThat(checkpoint(to.state)).isEqualTo(checkpoint);
        to.log.clear();
        to.reopen();
      }
      // And the log goes on behind it.
      Applying.next(from, to, put("/x", "3"));
      assertThat(to.state.fingerprint()).isEqualTo(from.state.fingerprint());
      assertThat(to.get("/x")).contains("=3@");
    }
  }

  /** Applies the same entry to two states. */
  private static final class Applying {
    static void next(TestState from, TestState to, Operation operation) {
      from.run(operation);
      TestState.Logged last = from.log.getLast();
      to.state.apply(last.position(), last.entry().orElseThrow());
    }
  }

  @Test
  void onALocalDiskTheOldStateIsRemoved(@TempDir Path root) throws Exception {
    try (TestState from = filled();
        FileStore files = LocalFileStore.open(root)) {
      try (MetastoreState to =
          MetastoreState.open(files, TestState.DIRECTORY, TestState.SETTINGS)) {
        from.log.forEach(logged -> to.apply(logged.position(), logged.entry().orElseThrow()));
        to.flush();
        to.installCheckpoint(new ByteArrayInputStream(checkpoint(from.state)));
        assertThat(to.diskBytes()).isPositive();
      }
      try (MetastoreState to =
          MetastoreState.open(files, TestState.DIRECTORY, TestState.SETTINGS)) {
        assertThat(to.fingerprint()).isEqualTo(from.state.fingerprint());
      }
      try (var found = Files.list(root.resolve("state"))) {
        assertThat(found.map(path -> path.getFileName().toString()))
            .containsExactlyInAnyOrder("CURRENT", "state-0000000002");
      }
    }
  }

  @Test
  void anEmptyStateHasACheckpointToo() throws Exception {
    try (TestState from = new TestState(TestState.SETTINGS, ClusterVersion.FIRST);
        TestState to = filled()) {
      assertThat(to.state.installCheckpoint(new ByteArrayInputStream(checkpoint(from.state))))
          .isEqualTo(Position.START);
      assertThat(to.state.revision()).isEqualTo(1);
      assertThat(to.state.sessions()).isEmpty();
      assertThat(to.at(0)).isEmpty();
    }
  }

  @Test
  void largeStatesAreManyBlocks() throws Exception {
    try (TestState from = new TestState();
        TestState to = new TestState()) {
      for (int i = 0; i < 40; i++) {
        from.run(new Operation.Put(bytes("/big" + i), Bytes.wrap(new byte[50_000 + i]), 0, false));
      }
      to.state.installCheckpoint(new ByteArrayInputStream(checkpoint(from.state)));
      assertThat(to.state.fingerprint()).isEqualTo(from.state.fingerprint());
    }
  }

  @Test
  void whatIsWrittenIsTheStateAtOneMoment() throws Exception {
    try (TestState from = filled();
        TestState to = new TestState()) {
      String before = from.state.fingerprint();
      ByteArrayOutputStream out =
          new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] array, int offset, int length) {
              if (size() == 0) {
                from.set("/x", "later");
                from.compact(from.state.revision());
                from.apply(new Command.Reclaim(100));
                from.state.flush();
              }
              super.write(array, offset, length);
            }
          };
      Position position = from.state.writeCheckpoint(out);
      assertThat(position).isLessThan(from.state.applied());
      to.state.installCheckpoint(new ByteArrayInputStream(out.toByteArray()));
      assertThat(to.state.fingerprint()).isEqualTo(before);
    }
  }

  @Test
  void everyDamageIsFoundOutAndTheOldStateStays() throws Exception {
    try (TestState from = filled();
        TestState to = new TestState()) {
      to.set("/mine", "x");
      to.state.flush();
      String before = to.state.fingerprint();
      byte[] good = checkpoint(from.state);
      RandomGenerator random = RandomSource.seeded(3);
      for (int i = 0; i < 60; i++) {
        byte[] bad = good.clone();
        if (i % 2 == 0) {
          bad = Arrays.copyOf(good, i == 0 ? 0 : random.nextInt(good.length));
        } else {
          bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        }
        byte[] damaged = bad;
        assertThatThrownBy(() -> to.state.installCheckpoint(new ByteArrayInputStream(damaged)))
            .isInstanceOf(CorruptDataException.class);
      }
      assertThat(to.state.fingerprint()).isEqualTo(before);
      assertThat(directories(to.files)).containsExactly("state/state-0000000001");
      to.set("/mine", "y");
      to.state.installCheckpoint(new ByteArrayInputStream(good));
      assertThat(to.state.fingerprint()).isEqualTo(from.state.fingerprint());
      assertThat(directories(to.files)).containsExactly("state/state-0000000002");
    }
  }

  private static List<String> directories(MemoryFileStore files) throws IOException {
    return files.list(TestState.DIRECTORY).stream()
        .filter(FileInfo::directory)
        .map(info -> info.path().value())
        .toList();
  }

  @Test
  void aCrashAtAnySyncLeavesTheOldStateOrTheNew() throws Exception {
    byte[] checkpoint;
    String fresh;
    try (TestState from = filled()) {
      checkpoint = checkpoint(from.state);
      fresh = from.state.fingerprint();
    }
    MemoryFileStore whole = new MemoryFileStore();
    String[] old = {""};
    long before = prepare(whole, old);
    install(whole, checkpoint);
    long points = whole.syncPoints() - before;
    assertThat(points).isGreaterThan(2);
    int olds = 0;
    int news = 0;
    for (long point = 1; point <= points + 1; point++) { // the last one after all of it
      for (CrashMode mode :
          List.of(
              CrashMode.dropUnsynced(), CrashMode.processKilled(), CrashMode.scattered(point))) {
        MemoryFileStore files = new MemoryFileStore();
        prepare(files, old);
        files.crashAtSync(point);
        try {
          install(files, checkpoint);
        } catch (IOException | RuntimeException e) {
          // as wanted
        }
        MemoryFileStore left = files.crash(mode);
        try (MetastoreState state =
            MetastoreState.open(left, TestState.DIRECTORY, TestState.SETTINGS)) {
          String found = state.fingerprint();
          assertThat(found).as("crash at %d, %s", point, mode).isIn(old[0], fresh);
          assertThat(directories(left).size()).isLessThanOrEqualTo(1);
          olds += found.equals(old[0]) ? 1 : 0;
          news += found.equals(fresh) ? 1 : 0;
        }
      }
    }
    assertThat(olds).isPositive();
    assertThat(news).isPositive();
  }

  private static long prepare(MemoryFileStore files, String[] fingerprint) {
    try (TestState state = new TestState()) {
      state.close();
      state.files = files;
      state.state = MetastoreState.open(files, TestState.DIRECTORY, TestState.SETTINGS);
      state.set("/old", "1");
      state.state.flush();
      fingerprint[0] = state.state.fingerprint();
      return files.syncPoints();
    }
  }

  private static void install(MemoryFileStore files, byte[] checkpoint) throws IOException {
    try (MetastoreState state =
        MetastoreState.open(files, TestState.DIRECTORY, TestState.SETTINGS)) {
      state.installCheckpoint(new ByteArrayInputStream(checkpoint));
    }
  }

  @Test
  void readersBesideAnInstallationSeeOneStateOrTheOther() throws Exception {
    try (TestState from = new TestState();
        TestState to = new TestState()) {
      from.run(put("/a", "new"), put("/b", "new"));
      to.run(put("/a", "old"), put("/b", "old"));
      byte[] checkpoint = checkpoint(from.state);
      List<Throwable> failures = new ArrayList<>();
      Thread reader =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (true) {
                        List<String> seen = to.at(0);
                        String value = seen.getFirst().substring(3, 6);
                        assertThat(seen.getLast()).startsWith("/b=" + value);
                        if (value.equals("new")) {
                          return;
                        }
                      }
                    } catch (Throwable e) {
                      failures.add(e);
                    }
                  });
      to.state.installCheckpoint(new ByteArrayInputStream(checkpoint));
      reader.join();
      assertThat(failures).isEmpty();
      assertThat(to.run(put("/a", "x"))).isInstanceOf(Answer.class);
    }
  }
}
