package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.put;
import static io.stele.metastore.state.TestState.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.engine.StoreSettings;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.command.Origin;
import io.stele.metastore.raft.Position;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The state and its place in the log go together, whatever was flushed when. */
class ReplayTest {
  private static Command increment(long session, long sequence) {
    return new Command.Transact(
        new Origin("", session, sequence, sequence),
        transaction(put("/n", "" + sequence), put("/n" + sequence % 7, "x".repeat(200))));
  }

  @Test
  void whatWasNotFlushedComesFromTheLogAndIsAppliedOnce() {
    try (TestState state = new TestState()) {
      long session = state.open();
      for (int i = 1; i <= 30; i++) {
        state.apply(increment(session, i));
        if (i == 17) {
          state.skip();
          assertThat(state.state.flush()).isEqualTo(new Position(1, 20));
        }
      }
      String before = state.state.fingerprint();
      state.reopen();
      assertThat(state.state.flushed()).isEqualTo(new Position(1, 20));
      assertThat(state.state.fingerprint()).isEqualTo(before);
      assertThat(state.get("/n")).isEqualTo("/n=30@2,31,30");
      assertThat(state.state.revision()).isEqualTo(31);
    }
  }

  @Test
  void flushedNamesTheTermOfTheEntryAlsoIfItHadNoEffect() {
    try (TestState state = new TestState()) {
      state.set("/a", "1");
      state.term = 7;
      state.remove("/absent");
      assertThat(state.state.flush()).isEqualTo(new Position(7, 3));
      state.reopen();
      assertThat(state.state.flushed()).isEqualTo(new Position(7, 3));
      state.term = 9;
      state.skip();
      assertThat(state.state.flush()).isEqualTo(new Position(9, 4));
      assertThat(state.state.flush()).isEqualTo(new Position(9, 4));
      state.reopen();
      assertThat(state.state.flushed()).isEqualTo(new Position(9, 4));
      assertThat(state.state.revision()).isEqualTo(2);
    }
  }

  @Test
  void flushesOfTheEnginesOwnInTheMiddleOfAnEntryDoNotApplyACommandTwice() {
    // Mem fragments so small that they are flushed between any two commands.
    StateSettings tiny =
        TestState.SETTINGS.withStore(StoreSettings.DEFAULT.withMemory(1_000, 100_000_000));
    try (TestState state = new TestState(tiny);
        TestState reference = new TestState()) {
      long session = state.open();
      assertThat(reference.open()).isEqualTo(session);
      for (int i = 0; i < 20; i++) {
        List<Command> entry = new ArrayList<>();
        for (int j = 1; j <= 10; j++) {
          entry.add(increment(session, 10L * i + j));
        }
        state.applyAll(entry);
        reference.applyAll(entry);
        if (i % 3 == 0) {
          state.reopen();
        }
        if (i == 11) {
          state.state.flush();
        }
      }
      state.reopen();
      assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());
      assertThat(state.get("/n")).isEqualTo(reference.get("/n"));
    }
  }

  @Test
  void aFlushInTheMiddleOfAReplayPromisesNothingNew() {
    StateSettings tiny =
        TestState.SETTINGS.withStore(StoreSettings.DEFAULT.withMemory(1_000, 100_000_000));
    try (TestState state = new TestState(tiny)) {
      long session = state.open();
      for (int i = 1; i <= 40; i++) {
        state.apply(increment(session, i));
      }
      String before = state.state.fingerprint();
      state.state.close();
      state.state = MetastoreState.open(state.files, TestState.DIRECTORY, tiny);
      List<TestState.Logged> log = List.copyOf(state.log);
      for (int i = 0; i < log.size(); i++) {
        state.state.apply(log.get(i).position(), log.get(i).entry().orElseThrow());
        Position flushed = state.state.flush();
        assertThat(flushed).isLessThanOrEqualTo(log.get(i).position());
        // What flush promised is what the next opening says.
        state.state.close();
        state.state = MetastoreState.open(state.files, TestState.DIRECTORY, tiny);
        assertThat(state.state.flushed()).isEqualTo(flushed);
        for (int again = (int) flushed.index(); again <= i; again++) {
          state.state.apply(log.get(again).position(), log.get(again).entry().orElseThrow());
        }
      }
      assertThat(state.state.fingerprint()).isEqualTo(before);
    }
  }

  @Test
  void anEntryThatComesAgainChangesNothing() {
    try (TestState state = new TestState()) {
      state.set("/a", "1");
      TestState.Logged first = state.log.getFirst();
      String before = state.state.fingerprint();
      Applied again = state.state.apply(first.position(), first.entry().orElseThrow());
      assertThat(again.answers()).hasSize(1);
      assertThat(((Answer.Refused) again.answers().getFirst()).kind())
          .isEqualTo(Answer.Kind.UNKNOWN);
      assertThat(state.state.fingerprint()).isEqualTo(before);
    }
  }

  @Test
  void aCrashAtAnySyncLosesNothingThatTheLogCanReplay() {
    long points = history(new MemoryFileStore(), 0);
    for (long point = 1; point <= points; point++) {
      MemoryFileStore files = new MemoryFileStore();
      files.crashAtSync(point);
      try {
        history(files, point);
      } catch (UnavailableException e) {
        // as wanted
      }
      MemoryFileStore left = files.crash(CrashMode.dropUnsynced());
      try (TestState state = new TestState()) {
        state.close();
        state.files = left;
        state.log.addAll(LOG);
        state.state = MetastoreState.open(left, TestState.DIRECTORY, TestState.SETTINGS);
        state.replay();
        assertThat(state.state.fingerprint()).as("crash at sync %d", point).isEqualTo(expected());
      }
    }
  }

  private static final List<TestState.Logged> LOG = new ArrayList<>();

  static {
    try (TestState state = new TestState()) {
      long session = state.open();
      for (int i = 1; i <= 12; i++) {
        state.apply(increment(session, i));
      }
      LOG.addAll(state.log);
    }
  }

  private static String expected() {
    try (TestState state = new TestState()) {
      state.log.addAll(LOG);
      state.replay();
      return state.state.fingerprint();
    }
  }

  private static long history(MemoryFileStore files, long point) {
    try (MetastoreState state =
        MetastoreState.open(files, TestState.DIRECTORY, TestState.SETTINGS)) {
      for (TestState.Logged logged : LOG) {
        state.apply(logged.position(), logged.entry().orElseThrow());
        if (logged.position().index() % 4 == 0) {
          state.flush();
        }
      }
    }
    assertThat(point).isZero(); // a crash must have been noticed
    return files.syncPoints();
  }

  @Test
  void theSameCommandsInOtherEntriesGiveTheSameAnswers() {
    // Numbers of transactions differ, so sessions and tokens do; keys and revisions must not.
    try (TestState one = new TestState();
        TestState many = new TestState()) {
      List<Command> commands = new ArrayList<>();
      for (int i = 1; i <= 50; i++) {
        commands.add(
            new Command.Transact(
                Origin.NOBODY, transaction(put("/k" + i % 9, "" + i), put("/all", "" + i))));
        if (i % 10 == 0) {
          commands.add(new Command.Compact(Origin.NOBODY, i / 2));
          commands.add(new Command.Reclaim(3));
        }
      }
      List<Answer> answers = many.applyAll(commands).answers();
      List<Answer> single = new ArrayList<>();
      for (Command command : commands) {
        single.add(one.apply(command));
      }
      assertThat(single).isEqualTo(answers);
      assertThat(one.state.fingerprint()).isEqualTo(many.state.fingerprint());
    }
  }

  @Test
  void anEntryThatNobodyWroteIsNamedAndChangesNothing() {
    try (TestState state = new TestState()) {
      assertThatThrownBy(() -> state.state.apply(new Position(1, 2), bytes("\1nonsense")))
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("log entry 1:2");
      Bytes empty = EntryCodec.encode(List.of());
      assertThat(state.state.apply(new Position(1, 2), empty).answers()).isEmpty();
    }
  }
}
