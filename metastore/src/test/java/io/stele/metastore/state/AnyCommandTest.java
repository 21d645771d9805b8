package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.engine.StoreSettings;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import io.stele.testkit.run.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Applying an entry never fails because of what a user asked for: commands at and beyond every
 * limit are applied to three members with different memory, which stay alive and equal, over
 * restarts that lose what was not flushed, and while the cluster version and the limits change.
 */
class AnyCommandTest {
  private static final int ENTRIES = 1_500;
  private static final MetastoreLimits LIMITS =
      new MetastoreLimits(8, 2_000, 300, 500, 6, 7, 8, 5, 2_000);

  private final RandomGenerator random =
      RandomSource.seeded(Seed.of(AnyCommandTest.class, 20_261_117));

  /** Those that were opened, and one that never was. */
  private final TreeSet<Long> sessions = new TreeSet<>(List.of(1L));

  private long sequence;
  private long term = 1;
  private long revision = 1;

  private static StateSettings settings(int memory) {
    return TestState.SETTINGS
        .withLimits(LIMITS)
        .withStore(StoreSettings.DEFAULT.withMemory(memory, 2L * memory));
  }

  @Test
  void noCommandStopsAMember() {
    try (TestState first = new TestState(settings(3_000), ClusterVersion.FIRST);
        TestState second = new TestState(settings(20_000), ClusterVersion.FIRST);
        TestState third = new TestState(settings(8 << 20), ClusterVersion.FIRST)) {
      List<TestState> members = List.of(first, second, third);
      for (int i = 0; i < ENTRIES; i++) {
        if (random.nextInt(50) == 0) {
          term++;
        }
        List<Command> commands =
            i % 100 == 99 ? List.of(agreement()) : list(1 + random.nextInt(3), this::command);
        List<Answer> expected = List.of();
        for (TestState member : members) {
          member.term = term;
          List<Answer> answers = member.applyAll(commands).answers();
          assertThat(answers).as("entry %d: %s", i, commands).hasSameSizeAs(commands);
          if (member == first) {
            expected = answers;
          } else {
            assertThat(answers).as("entry %d: %s", i, commands).isEqualTo(expected);
          }
        }
        expected.forEach(this::note);
        revision = first.state.revision();
        if (random.nextInt(40) == 0) {
          members.get(random.nextInt(3)).reopen();
        }
        if (random.nextInt(40) == 0) {
          members.get(random.nextInt(3)).state.flush();
        }
      }
      assertThat(second.state.fingerprint()).isEqualTo(first.state.fingerprint());
      assertThat(third.state.fingerprint()).isEqualTo(first.state.fingerprint());
      assertThat(revision).isGreaterThan(100);
      assertThat(first.state.version()).isEqualTo(ClusterVersion.NEWEST);
    }
  }

  private void note(Answer answer) {
    if (answer instanceof Answer.SessionOpened opened) {
      sessions.add(opened.session());
    }
  }

  // ---- chance

  private <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  private boolean flag() {
    return random.nextBoolean();
  }

  private boolean seldom() {
    return random.nextInt(12) == 0;
  }

  private static <T> List<T> list(int size, Supplier<T> item) {
    List<T> items = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      items.add(item.get());
    }
    return items;
  }

  private long number() {
    return pick(List.of(0L, 1L, 2L, revision - 1, revision, revision + 1, Long.MAX_VALUE));
  }

  private Bytes value() {
    int length = seldom() ? pick(List.of(499, 500, 501, 1_999, 2_001)) : random.nextInt(100);
    return Bytes.wrap(new byte[length]);
  }

  private Bytes path() {
    if (seldom()) {
      int length = pick(List.of(299, 300, 301, 4_096, 4_097, 70_000));
      return Bytes.utf8("/" + "k/".repeat(length / 2 - 1) + (length % 2 == 0 ? "k" : "kk"));
    }
    return seldom()
        ? Bytes.utf8(pick(List.of("", "/", "//", "/a/", "a", "/..", "/\0", "/\u007f", "\0")))
        : Bytes.utf8("/d" + random.nextInt(3) + "/k" + random.nextInt(12));
  }

  private Bytes opaque() {
    if (seldom()) {
      int length = pick(List.of(0, 29_999, 30_000, 30_001, 66_000));
      return OpaqueKey.of(new byte[length]); // zeros, which are escaped
    }
    return OpaqueKey.of(new byte[] {(byte) random.nextInt(14), 0, (byte) random.nextInt(2)});
  }

  private Bytes key() {
    return flag() ? path() : opaque();
  }

  private KeyRange range() {
    Bytes from = key();
    Bytes to = key();
    return switch (random.nextInt(6)) {
      case 0, 1 -> KeyRange.of(from);
      case 2 -> OpaqueKey.range(new byte[0], null);
      case 3 -> KeyRange.prefix(Bytes.utf8("/"));
      case 4 -> new KeyRange(from, null);
      default -> from.compareTo(to) <= 0 ? new KeyRange(from, to) : new KeyRange(to, from);
    };
  }

  private Duration duration() {
    return pick(
        List.of(
            Duration.ofSeconds(-1),
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofSeconds(10),
            Duration.ofSeconds(9_000_000_001L),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)));
  }

  private String text() {
    return pick(List.of("", "", "", "me", "*", "x".repeat(1_024), "ü".repeat(1_025)));
  }

  private long session() {
    return pick(List.copyOf(sessions));
  }

  private long lease() {
    return pick(List.of(0L, 1L, 2L, 3L, -1L, Long.MAX_VALUE));
  }

  private Origin origin() {
    if (random.nextInt(3) > 0) {
      return Origin.of(text());
    }
    long number = Math.max(1, ++sequence - (seldom() ? random.nextInt(1_500) : 0));
    return new Origin(seldom() ? "me" : "", session(), number, Math.max(0, number - 5));
  }

  // ---- commands

  private Command command() {
    return switch (random.nextInt(24)) {
      case 0 -> new Command.OpenSession(text(), duration(), text(), Bytes.EMPTY);
      case 1 -> new Command.OpenSession("", Duration.ofSeconds(1), "", value());
      case 2 -> new Command.CloseSession("", session());
      case 3 -> new Command.ExpireSession(session(), pick(List.of(0L, term, term + 1)));
      case 4, 5, 6 ->
          new Command.Acquire(
              origin(), Bytes.utf8("/lock" + random.nextInt(9)), flag(), duration(), duration());
      case 7 -> new Command.Acquire(origin(), key(), flag(), duration(), duration());
      case 8 -> new Command.Release(origin(), Bytes.utf8("/lock" + random.nextInt(9)));
      case 9 -> new Command.EndWait(key(), session(), number());
      case 10 ->
          flag()
              ? new Command.EndDelay(key(), number())
              : new Command.EndGrant(
                  Bytes.utf8("/lock" + random.nextInt(9)), session(), number(), session());
      case 11 -> new Command.Compact(origin(), revision - random.nextInt(20));
      case 12 -> new Command.Reclaim(pick(List.of(0, 1, 3, Integer.MAX_VALUE)));
      case 13 -> new Command.GrantLease(lease(), duration());
      case 14 -> new Command.RevokeLease(text(), lease());
      case 15 ->
          seldom()
              ? new Command.TakeFingerprint()
              : new Command.ExpireLease(lease(), pick(List.of(0L, term, term + 1)));
      case 16 ->
          seldom()
              ? new Command.SetAcl(origin(), path(), rules())
              : new Command.Compact(origin(), number());
      default -> new Command.Transact(origin(), transaction());
    };
  }

  /** Of which the first version is too low, once there was a second. */
  private Command agreement() {
    return new Command.SetVersion(
        new ClusterState(
            1 + random.nextInt(ClusterVersion.NEWEST),
            new MetastoreLimits(
                limit(8),
                limit(2_000),
                limit(300),
                limit(500),
                limit(6),
                limit(7),
                limit(8),
                limit(5),
                limit(2_000))));
  }

  private int limit(int usual) {
    return pick(List.of(1, usual - 1, usual, usual, usual, usual + 1, 2 * usual));
  }

  /** For everybody, and some others: else nothing could be done any more. */
  private List<AclEntry> rules() {
    List<AclEntry> rules = list(random.nextInt(3), () -> new AclEntry(text(), true, flag()));
    rules.add(new AclEntry("*", true, true));
    return rules;
  }

  private Transaction transaction() {
    if (random.nextInt(6) == 0) {
      return Transaction.of(new Operation.Delete(OpaqueKey.range(new byte[0], null), false));
    }
    return new Transaction(
        list(seldom() ? 9 : random.nextInt(2), this::comparison),
        list(seldom() ? 9 : 1 + random.nextInt(2), () -> operation(0)),
        list(random.nextInt(3), () -> operation(0)),
        seldom()
            ? Optional.of(new ReadSet(term, number(), list(2, this::range)))
            : Optional.empty());
  }

  private Comparison comparison() {
    Comparison.Relation relation = pick(List.of(Comparison.Relation.values()));
    return switch (random.nextInt(4)) {
      case 0 ->
          new Comparison.Property(
              range(), pick(List.of(Comparison.Field.values())), relation, number());
      case 1 -> new Comparison.Value(range(), relation, value());
      case 2 -> new Comparison.Present(range());
      default -> new Comparison.LockHeld(key(), number());
    };
  }

  private Operation operation(int depth) {
    return switch (random.nextInt(10)) {
      case 0, 1 -> new Operation.Put(path(), value(), seldom() ? session() : 0, flag());
      case 2 -> new Operation.Delete(range(), flag());
      case 3 -> new Operation.Get(range(), pick(List.of(0, 1, Integer.MAX_VALUE)));
      case 4 -> new Operation.Select(selection());
      case 5 ->
          depth > 3
              ? new Operation.Delete(range(), false)
              : new Operation.Branch(
                  list(random.nextInt(2), this::comparison),
                  list(random.nextInt(4), () -> operation(depth + 1)),
                  list(random.nextInt(2), () -> operation(depth + 1)));
      default ->
          new Operation.Assign(opaque(), value(), flag() ? lease() : 0, flag(), seldom(), seldom());
    };
  }

  private Selection selection() {
    return new Selection(
        range(),
        number(),
        pick(List.of(0L, 1L, 3L, Long.MAX_VALUE)),
        pick(List.of(Selection.Order.values())),
        pick(List.of(Selection.Target.values())),
        flag(),
        flag(),
        new Selection.Bounds(number(), number(), number(), number()));
  }
}
