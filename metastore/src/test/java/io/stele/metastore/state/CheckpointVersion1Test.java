package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.metastore.LockState;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.lock.LockDelay;
import io.stele.metastore.raft.Position;
import io.stele.metastore.session.Session;
import io.stele.testkit.file.StoredBytes;
import io.stele.testkit.golden.FormatFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A checkpoint of version 1, which is also what a backup is, with every kind of row in it ({@link
 * Rows}): it is read for ever.
 */
class CheckpointVersion1Test {
  private static final KeyRange OPAQUE = OpaqueKey.range(new byte[0], null);

  private static Bytes opaque(String text) {
    return OpaqueKey.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void assign(TestState state, String key, long lease) {
    state.run(new Operation.Assign(opaque(key), bytes("1"), lease, false, false, false));
  }

  /** The history whose state was stored. */
  private static void fill(TestState state) {
    state.term = 3;
    long a = state.open("me");
    long b = state.open();
    long gone = state.open();
    state.run(put("/e", "ephemeral", a), put("/x", "1"), put("/y", "1"));
    state.set("/x", "2");
    state.remove("/y");
    state.set("/ü", "odd");
    state.compact(3);
    state.apply(new Command.Reclaim(1));
    state.acquire(new Origin("me", a, 1, 1), "/l", true, 10, 20);
    state.acquire(new Origin("", b, 1, 1), "/l", false, 30, 0);
    state.acquire(new Origin("", gone, 1, 1), "/d", true, 10, 40);
    state.apply(new Command.ExpireSession(gone));
    state.apply(
        new Command.Transact(new Origin("me", a, 2, 1), TestState.transaction(put("/z", "kept"))));
    state.apply(
        new Command.SetAcl(
            Origin.NOBODY,
            bytes("/dir"),
            List.of(new AclEntry("*", true, false), new AclEntry("me", true, true))));
    state.apply(new Command.GrantLease(-7, Duration.ofSeconds(60)));
    assign(state, "leased", -7);
    assign(state, "swept1", 0);
    assign(state, "swept2", 0);
    state.run(new Operation.Delete(new KeyRange(opaque("swept"), opaque("swept9")), false));
  }

  @Test
  void isReadAsItWasWritten() throws IOException {
    byte[] written;
    try (TestState state = new TestState(TestState.SETTINGS, ClusterVersion.FIRST)) {
      fill(state);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      state.state.writeCheckpoint(out);
      written = out.toByteArray();
    }
    byte[] stored = FormatFile.read("checkpoint-v1.bin", written);
    try (TestState to = new TestState()) {
      assertThat(to.state.installCheckpoint(new ByteArrayInputStream(stored)))
          .isEqualTo(new Position(3, 20));
      check(to);
    }
  }

  @Test
  void theProgressOfASweep() {
    SweepProgress progress = new SweepProgress(300, new KeyRange(opaque("a"), opaque("größe")));
    byte[] stored = FormatFile.read("sweep-progress-v1.bin", progress.encode().toArray());
    assertThat(SweepProgress.decode(Bytes.wrap(stored))).isEqualTo(progress);
  }

  /** Which directory has the state, once a checkpoint has taken the place of the first. */
  @Test
  void theNameOfTheState() throws IOException {
    FilePath current = TestState.DIRECTORY.resolve("CURRENT");
    try (TestState state = new TestState()) {
      byte[] checkpoint = FormatFile.read("checkpoint-v1.bin");
      state.state.installCheckpoint(new ByteArrayInputStream(checkpoint));
      byte[] stored =
          FormatFile.read("current-state-v1.txt", StoredBytes.read(state.files, current));
      state.files.replace(current, stored);
      state.reopen();
      assertThat(state.state.applied()).isEqualTo(new Position(3, 20));
    }
  }

  private static void check(TestState to) {
    List<Session> sessions = to.state.sessions();
    long a = (1L << 16) | 1;
    long b = (2L << 16) | 1;
    assertThat(sessions)
        .containsExactly(
            new Session(a, "me", Duration.ofSeconds(5), "test", Bytes.EMPTY),
            new Session(b, "", Duration.ofSeconds(5), "test", Bytes.EMPTY));
    assertThat(to.at(0, OpaqueKey.PATHS))
        .containsExactly("/e=ephemeral@2,2,1," + a, "/x=2@2,3,2", "/z=kept@6,6,1", "/ü=odd@5,5,1");
    assertThat(to.at(3, OpaqueKey.PATHS))
        .containsExactly("/e=ephemeral@2,2,1," + a, "/x=2@2,3,2", "/y=1@2,2,1");
    assertThat(to.at(0, OPAQUE)).containsExactly("eleased=1@7,7,1");
    assertThat(to.at(9, OPAQUE))
        .containsExactly("eleased=1@7,7,1", "eswept1=1@8,8,1", "eswept2=1@9,9,1");
    assertThat(to.state.revision()).isEqualTo(10);
    assertThat(to.state.compacted()).isEqualTo(3);
    assertThat(to.changes(4))
        .containsExactly(
            "4 -/y was 1",
            "5 +/ü=odd",
            "6 +/z=kept",
            "7 +eleased=1",
            "8 +eswept1=1",
            "9 +eswept2=1",
            "10 -eswept1 was 1",
            "10 -eswept2 was 1");
    assertThat(to.state.lease(-7)).contains(new Lease(-7, Duration.ofSeconds(60)));
    assertThat(to.state.leasedKeys(-7)).containsExactly(opaque("leased"));
    LockState lock = to.state.lockState(bytes("/l"));
    assertThat(lock.exclusive()).isTrue();
    assertThat(lock.holders()).extracting(LockState.Holder::session).containsExactly(a);
    assertThat(lock.waiting()).containsExactly(b);
    assertThat(to.state.lockState(bytes("/d")).delayed()).isTrue();
    assertThat(to.state.delays()).extracting(LockDelay.Closed::key).containsExactly(bytes("/d"));
    assertThat(to.state.rules().of(bytes("/dir/below")))
        .containsExactly(new AclEntry("*", true, false), new AclEntry("me", true, true));
    assertThat(to.state.answerTo(new Origin("me", a, 2, 1)))
        .get()
        .isInstanceOfSatisfying(
            Answer.Transacted.class, done -> assertThat(done.revision()).isEqualTo(6));
  }
}
