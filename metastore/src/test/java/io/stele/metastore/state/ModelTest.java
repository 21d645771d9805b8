package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.engine.StoreSettings;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.metastore.LockState;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories, applied to the state and to a model that says the same plainly: every answer,
 * every revision that can be read, every change that can be told and every lock must agree, across
 * flushes, merges, restarts and checkpoints; and members that flush at other times end up the same.
 */
class ModelTest {
  private static final int ENTRIES = 250;

  private static String text(Answer answer) {
    return answer instanceof Refused refused ? "refused " + refused.kind() : answer.toString();
  }

  private static List<String> texts(List<WaitEnded> waits) {
    return waits.stream()
        .map(w -> w.key() + " " + w.session() + "/" + w.sequence() + " " + text(w.answer()))
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void stateAndModelAgree(long seed) throws Exception {
    RandomGenerator random = RandomSource.seeded(seed);
    StateSettings settings =
        TestState.SETTINGS.withStore(
            StoreSettings.DEFAULT
                .withMemory(seed % 3 == 0 ? 3_000 : 1 << 20, 100 << 20)
                .withCompaction(CompactionSettings.DEFAULT.withWidths(2, 4).withGarbagePercent(1)));
    // The history is dropped by commands, or by the engine.
    Model model = new Model(seed % 2 == 0 ? ClusterVersion.WITH_FLOOR - 1 : ClusterVersion.NEWEST);
    ModelHistory history = new ModelHistory(random, model);
    try (TestState state = new TestState(settings, model.version);
        TestState quiet = new TestState(TestState.SETTINGS, ClusterVersion.FIRST)) {
      for (int i = 1; i <= ENTRIES; i++) {
        if (random.nextInt(40) == 0) {
          state.term++;
        }
        List<Command> entry = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        model.ended.clear();
        for (int j = 1; j <= 1 + random.nextInt(4); j++) {
          Command command = history.next(state.term);
          entry.add(command);
          expected.add(text(model.apply(command, AppliedPlace.txn(i + 1, j), state.term)));
        }
        String where = "seed " + seed + ", entry " + i + " " + entry;
        Applied applied = state.applyAll(entry);
        assertThat(applied.answers().stream().map(ModelTest::text)).as(where).isEqualTo(expected);
        assertThat(texts(applied.grants())).as(where).isEqualTo(texts(model.ended));
        disturb(random, state);
        if (random.nextInt(5) == 0) {
          compare(random, state.state, model, where);
        }
      }
      compare(random, state.state, model, "seed " + seed + " at the end");
      quiet.log.addAll(state.log);
      quiet.replay();
      assertThat(quiet.state.fingerprint())
          .as("members with other flushes, seed " + seed)
          .isEqualTo(state.state.fingerprint());
    }
  }

  private static void disturb(RandomGenerator random, TestState state) {
    if (random.nextInt(12) == 0) {
      state.state.flush();
    }
    if (random.nextInt(25) == 0) {
      state.reopen();
    }
  }

  private static void compare(
      RandomGenerator random, MetastoreState state, Model model, String where) {
    assertThat(state.revision()).as(where).isEqualTo(model.revision());
    assertThat(state.compacted()).as(where).isEqualTo(model.compacted);
    assertThat(state.reclaimed()).as(where).isEqualTo(model.reclaimed);
    for (long revision = Math.max(1, model.compacted); revision <= model.revision(); revision++) {
      NavigableMap<Bytes, KeyValue> expected = model.revisions.get((int) revision);
      if (revision > model.revision() - 3 || random.nextInt(4) == 0) {
        assertThat(state.read(new RangeRead(KeyRange.ALL, 0, false, false, revision)).keys())
            .as("%s at %d", where, revision)
            .isEqualTo(List.copyOf(expected.values()));
        KeyRange range = ModelHistory.range(random);
        List<KeyValue> inside = Model.inside(expected, range);
        assertThat(state.read(new RangeRead(range, 0, false, false, revision)).keys())
            .as("%s, %s at %d", where, range, revision)
            .isEqualTo(inside);
        assertThat(state.read(new RangeRead(range, 0, false, true, revision)).count())
            .isEqualTo(inside.size());
      }
    }
    for (Bytes key : ModelHistory.KEYS) {
      assertThat(state.get(key).orElse(null)).as(where).isEqualTo(model.now().get(key));
    }
    compareChanges(state, model, where);
    model.locks.forEach(
        (key, lock) -> {
          LockState found = state.lockState(key);
          assertThat(found).as("%s, lock %s", where, key).isEqualTo(lock.state());
        });
    assertThat(state.sessions())
        .as(where)
        .extracting(session -> session.id())
        .isEqualTo(List.copyOf(model.sessions.keySet()));
  }

  private static void compareChanges(MetastoreState state, Model model, String where) {
    long next = Math.max(model.compacted, model.reclaimed + 1);
    for (RevisionChanges changes : state.changes(Math.max(2, next), Integer.MAX_VALUE, true)) {
      NavigableMap<Bytes, KeyValue> before = model.revisions.get((int) changes.revision() - 1);
      NavigableMap<Bytes, KeyValue> after = model.revisions.get((int) changes.revision());
      NavigableMap<Bytes, String> expected = new TreeMap<>();
      before.forEach((key, kv) -> expected.put(key, "gone, was " + kv));
      after.forEach(
          (key, kv) -> {
            KeyValue old = before.get(key);
            if (kv.equals(old)) {
              expected.remove(key);
            } else {
              expected.put(key, kv + ", was " + (old == null ? "absent" : old));
            }
          });
      List<String> told = new ArrayList<>();
      for (KeyChange change : changes.changes()) {
        String old = change.before().map(KeyValue::toString).orElse("absent");
        told.add((change.deleted() ? "gone" : change.now().toString()) + ", was " + old);
      }
      assertThat(told)
          .as("%s, changes of %d", where, changes.revision())
          .isEqualTo(List.copyOf(expected.values()));
      assertThat(changes.revision()).as(where).isEqualTo(Math.max(2, next++));
      next = changes.revision() + 1;
    }
    assertThat(Math.max(2, next)).as(where).isEqualTo(Math.max(2, model.revision() + 1));
  }
}
