package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Selection.Bounds;
import io.stele.metastore.command.Selection.Order;
import io.stele.metastore.command.Selection.Target;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A count by what is known of stretches is the count of a walk, and walks little. */
class KeyCountsTest {
  /** What a store holds at each revision, and how many keys of it were looked at. */
  private static final class Keys {
    final TreeMap<Long, NavigableSet<Bytes>> revisions = new TreeMap<>();
    final KeyCounts counts = new KeyCounts(1);
    long revision = 1;
    long walked;

    Keys() {
      revisions.put(1L, new TreeSet<>());
    }

    void change(List<Bytes> put, List<Bytes> deleted) {
      NavigableSet<Bytes> before = revisions.lastEntry().getValue();
      NavigableSet<Bytes> after = new TreeSet<>(before);
      after.addAll(put);
      deleted.forEach(after::remove);
      revision++;
      List<KeyChange> changes = new ArrayList<>();
      put.forEach(key -> changes.add(change(key, false, before.contains(key))));
      deleted.stream()
          .filter(before::contains)
          .forEach(key -> changes.add(change(key, true, true)));
      revisions.put(revision, after);
      revisions.headMap(revision - 20).clear();
      counts.change(changes, revision);
    }

    private KeyChange change(Bytes key, boolean deleted, boolean was) {
      KeyValue kv = new KeyValue(key, Bytes.EMPTY, 0, revision, 0, 0);
      return new KeyChange(deleted, kv, was ? Optional.of(kv) : Optional.empty());
    }

    private NavigableSet<Bytes> at(KeyRange range, long revision) {
      NavigableSet<Bytes> all = revisions.floorEntry(revision).getValue();
      return range.to() == null
          ? all.tailSet(range.from(), true)
          : all.subSet(range.from(), true, range.to(), false);
    }

    long count(KeyRange range, long at) {
      return count(range, at, () -> {});
    }

    long count(KeyRange range, long at, Runnable meanwhile) {
      KeyCounts.Tally tally = counts.begin(range, at);
      meanwhile.run();
      long count = tally.known();
      for (KeyCounts.Walk walk : tally.walks()) {
        try (walk) {
          for (Bytes key : at(walk.range(), at)) {
            if (walk.isFull()) {
              walk.begin(key);
            }
            walk.add();
          }
          walk.complete();
        }
        count += walk.keys();
        walked += walk.keys();
      }
      return count;
    }
  }

  private static Bytes key(int number) {
    return Bytes.utf8("/key/%07d".formatted(number));
  }

  private static List<Bytes> keys(int from, int to) {
    List<Bytes> keys = new ArrayList<>();
    for (int i = from; i < to; i++) {
      keys.add(key(i));
    }
    return keys;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aCountIsThatOfAWalkAtEachRevision(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    Keys keys = new Keys();
    for (int round = 0; round < 300; round++) {
      String where = "seed " + seed + ", round " + round;
      KeyRange range = range(random);
      change(keys, random); // before it is counted, and below while it is
      long at = Math.max(1, keys.revision - (random.nextBoolean() ? 0 : random.nextInt(9)));
      long found = keys.count(range, at, () -> change(keys, random));
      assertThat(found).as("%s at %d: %s", where, at, range).isEqualTo(keys.at(range, at).size());
      if (random.nextInt(100) == 0) {
        keys.counts.forget(keys.revision);
      }
    }
    assertThat(keys.count(KeyRange.ALL, keys.revision))
        .isEqualTo(keys.at(KeyRange.ALL, keys.revision).size());
  }

  private static final int SPACE = 3_000;

  private static KeyRange range(RandomGenerator random) {
    int from = random.nextInt(SPACE);
    return switch (random.nextInt(5)) {
      case 0 -> KeyRange.ALL;
      case 1 -> new KeyRange(key(from), null);
      case 2 -> KeyRange.of(key(from));
      default -> new KeyRange(key(from), key(from + random.nextInt(SPACE - from)));
    };
  }

  private static void change(Keys keys, RandomGenerator random) {
    int from = random.nextInt(SPACE);
    List<Bytes> some = keys(from, Math.min(SPACE, from + random.nextInt(700)));
    boolean put = random.nextInt(5) < 3;
    keys.change(put ? some : List.of(), put ? List.of() : some);
  }

  @Test
  void aSecondCountWalksTwoPiecesAtMostWhateverWasWrittenSince() {
    Keys keys = new Keys();
    keys.change(keys(0, 50_000), List.of());
    assertThat(keys.count(KeyRange.ALL, keys.revision)).isEqualTo(50_000);
    keys.walked = 0;
    KeyRange most = new KeyRange(key(100), key(49_900));
    assertThat(keys.count(most, keys.revision)).isEqualTo(49_800);
    assertThat(keys.walked).isLessThanOrEqualTo(2 * KeyCounts.PIECE);

    keys.change(keys(25_000, 25_001), List.of()); // no key comes or goes
    keys.change(keys(50_000, 50_001), keys(100, 101));
    keys.walked = 0;
    assertThat(keys.count(most, keys.revision)).isEqualTo(49_799);
    assertThat(keys.walked).isLessThanOrEqualTo(2 * KeyCounts.PIECE);
  }

  @Test
  void aPastRevisionWalksWhereKeysCameOrWentSince() {
    Keys keys = new Keys();
    keys.change(keys(0, 50_000), List.of());
    keys.count(KeyRange.ALL, keys.revision);
    long past = keys.revision;
    keys.change(List.of(), keys(25_000, 25_001));
    keys.walked = 0;
    assertThat(keys.count(KeyRange.ALL, past)).isEqualTo(50_000);
    assertThat(keys.walked).isBetween(1L, (long) KeyCounts.PIECE);
  }

  @Test
  void stretchesThatEmptyAreJoined() {
    Keys keys = new Keys();
    keys.change(keys(0, 20_000), List.of());
    keys.count(KeyRange.ALL, keys.revision);
    assertThat(keys.counts.size()).isGreaterThan(70);
    keys.change(List.of(), keys(10, 19_990));
    assertThat(keys.count(KeyRange.ALL, keys.revision)).isEqualTo(20);
    assertThat(keys.counts.size()).isLessThan(5);
  }

  /** Without a store: that many keys are only numbers here. */
  @Test
  void stretchesStayFewHoweverManyKeysThereAre() {
    KeyCounts counts = new KeyCounts(1);
    for (int prefix = 0; prefix < 8; prefix++) {
      KeyRange range = KeyRange.prefix(Bytes.utf8("/" + prefix + "/"));
      for (KeyCounts.Walk walk : counts.begin(range, 1).walks()) {
        try (walk) {
          for (int i = 0; i < 1_500_000; i++) {
            if (walk.isFull()) {
              walk.begin(Bytes.utf8("/%d/%07d".formatted(prefix, i)));
            }
            walk.add();
          }
          walk.complete();
        }
      }
      assertThat(counts.begin(range, 1).known()).isEqualTo(1_500_000);
      assertThat(counts.size()).isLessThanOrEqualTo(16_384);
    }
  }

  @Test
  void longKeysDoNotTakeMoreMemoryEither() {
    KeyCounts counts = new KeyCounts(1);
    String most = "x".repeat(30_000);
    KeyCounts.Walk walk = counts.begin(KeyRange.ALL, 1).walks().getFirst();
    for (int i = 0; i < 500_000; i++) {
      if (walk.isFull()) {
        walk.begin(Bytes.utf8(most + "%07d".formatted(i)));
      }
      walk.add();
    }
    walk.complete();
    walk.close();
    assertThat(counts.size()).isLessThan((4 << 20) / 30_000);
    assertThat(counts.begin(KeyRange.ALL, 1).known()).isEqualTo(500_000);
  }

  // ---- with a store

  private static Operation assign(int number) {
    return new Operation.Assign(
        OpaqueKey.of("k%05d".formatted(number).getBytes()),
        Bytes.utf8("value"),
        0,
        false,
        false,
        false);
  }

  private static final KeyRange OPAQUE = OpaqueKey.range(new byte[0], null);

  private static Selection first(int limit, long revision, Order order) {
    return new Selection(OPAQUE, revision, limit, order, Target.KEY, false, false, Bounds.NONE);
  }

  @Test
  void aStateCountsRightAcrossSweepsAndRestarts() {
    try (TestState state = new TestState()) {
      for (int i = 0; i < 3_000; i++) {
        state.run(assign(i * 7 % 3_000));
        if (i % 500 == 499) {
          for (Order order : List.of(Order.NONE, Order.ASCENDING)) {
            var page = state.state.select(first(10, 0, order));
            assertThat(page.count()).isEqualTo(i + 1);
            assertThat(page.keys()).hasSize(10);
            assertThat(page.more()).isTrue();
          }
        }
      }
      long full = state.state.revision();
      state.run(new Operation.Delete(new KeyRange(key("k00100"), key("k00200")), false));
      assertThat(state.state.select(first(10, 0, Order.NONE)).count()).isEqualTo(2_900);
      assertThat(state.state.select(first(10, full, Order.NONE)).count()).isEqualTo(3_000);
      state.reopen();
      assertThat(state.state.read(new RangeRead(OPAQUE, 0, false, true, 0)).count())
          .isEqualTo(2_900);
    }
    StateSettings sweeping =
        TestState.SETTINGS.withLimits(
            new MetastoreLimits(128, 1 << 20, 4096, 1 << 20, 100, 100, 100, 1 << 20));
    try (TestState state = new TestState(sweeping)) {
      for (int i = 0; i < 3_000; i++) {
        state.run(assign(i));
      }
      assertThat(state.state.select(first(10, 0, Order.NONE)).count()).isEqualTo(3_000);
      state.apply(
          new Command.Transact(
              Origin.NOBODY,
              TestState.transaction(
                  new Operation.Delete(new KeyRange(key("k00100"), key("k02200")), false))));
      assertThat(state.state.select(first(10, 0, Order.NONE)).count()).isEqualTo(900);
    }
  }

  private static Bytes key(String text) {
    return OpaqueKey.of(text.getBytes());
  }

  /** Revision r has r - 1 keys, as each change adds one. */
  @Test
  void readersBesideAWriterCountTheKeysOfTheirRevision() throws Exception {
    try (TestState state = new TestState()) {
      AtomicBoolean stop = new AtomicBoolean();
      List<Throwable> failures = new ArrayList<>();
      Thread reader =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (!stop.get()) {
                        var newest = state.state.select(first(5, 0, Order.NONE));
                        assertThat(newest.count()).isEqualTo(newest.revision() - 1);
                        long past = Math.max(1, newest.revision() - 40);
                        assertThat(state.state.select(first(5, past, Order.NONE)).count())
                            .isEqualTo(past - 1);
                      }
                    } catch (Throwable e) {
                      failures.add(e);
                    }
                  });
      for (int i = 0; i < 4_000; i++) {
        state.run(assign(i * 7 % 4_001));
      }
      stop.set(true);
      reader.join();
      assertThat(failures).isEmpty();
    }
  }
}
