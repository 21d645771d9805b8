package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Commands and answers with anything in them. */
final class RandomCommands {
  private final RandomGenerator random;

  RandomCommands(RandomGenerator random) {
    this.random = random;
  }

  private long number() {
    return random.nextLong() >>> random.nextInt(1, 64);
  }

  Bytes bytes() {
    byte[] bytes = new byte[random.nextInt(12)];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  private String text() {
    return List.of("", "me", "ü\n名", "🙂").get(random.nextInt(4));
  }

  private Duration duration() {
    return Duration.ofSeconds(random.nextLong(100_000), random.nextInt(1_000_000_000));
  }

  private <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  private boolean flag() {
    return random.nextBoolean();
  }

  private KeyRange range() {
    Bytes from = bytes();
    Bytes to = bytes();
    return switch (random.nextInt(3)) {
      case 0 -> KeyRange.of(from);
      case 1 -> new KeyRange(from, null);
      default -> from.compareTo(to) <= 0 ? new KeyRange(from, to) : new KeyRange(to, from);
    };
  }

  private <T> List<T> list(Supplier<T> item) {
    List<T> items = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      items.add(item.get());
    }
    return items;
  }

  private Origin origin() {
    if (flag()) {
      return Origin.of(text());
    }
    long sequence = 1 + random.nextLong(1L << 40);
    long below = Math.max(0, sequence - random.nextInt(Origin.WINDOW));
    return new Origin(text(), 1 + number(), sequence, below);
  }

  private Comparison comparison() {
    Relation relation = pick(List.of(Relation.values()));
    return switch (random.nextInt(4)) {
      case 0 -> new Comparison.Property(range(), pick(List.of(Field.values())), relation, number());
      case 1 -> new Comparison.Value(range(), relation, bytes());
      case 2 -> new Comparison.Present(range());
      default -> new Comparison.LockHeld(bytes(), number());
    };
  }

  private Operation operation() {
    return switch (random.nextInt(6)) {
      case 0 -> new Operation.Put(bytes(), bytes(), number(), flag());
      case 1 -> new Operation.Delete(range(), flag());
      case 2 -> new Operation.Assign(bytes(), bytes(), random.nextLong(), flag(), flag(), flag());
      case 3 -> new Operation.Select(selection());
      case 4 ->
          random.nextInt(3) > 0
              ? operation()
              : new Operation.Branch(
                  list(this::comparison), list(this::operation), list(this::operation));
      default -> new Operation.Get(range(), random.nextInt(Integer.MAX_VALUE));
    };
  }

  private Selection selection() {
    return new Selection(
        range(),
        number(),
        number(),
        pick(List.of(Selection.Order.values())),
        pick(List.of(Selection.Target.values())),
        flag(),
        flag(),
        new Selection.Bounds(
            random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong()));
  }

  private Transaction transaction() {
    return new Transaction(
        list(this::comparison),
        list(this::operation),
        list(this::operation),
        flag()
            ? Optional.of(new ReadSet(number(), number(), list(this::range)))
            : Optional.empty());
  }

  Command command() {
    return switch (random.nextInt(19)) {
      case 13 -> new Command.ExpireSession(number(), number());
      case 14 -> new Command.ExpireLease(random.nextLong(), number());
      case 15 -> new Command.EndGrant(bytes(), number(), number(), number());
      case 0 -> new Command.OpenSession(text(), duration(), text(), bytes());
      case 1 -> new Command.CloseSession(text(), number());
      case 2 -> new Command.ExpireSession(number());
      case 3 -> new Command.Transact(origin(), transaction());
      case 4 -> new Command.Acquire(origin(), bytes(), flag(), duration(), duration());
      case 5 -> new Command.Release(origin(), bytes());
      case 6 -> new Command.EndWait(bytes(), number(), number());
      case 7 -> new Command.EndDelay(bytes(), number());
      case 8 -> new Command.Compact(origin(), number());
      case 10 -> new Command.GrantLease(random.nextLong(), duration());
      case 11 -> new Command.RevokeLease(text(), random.nextLong());
      case 12 -> new Command.ExpireLease(random.nextLong());
      case 16 -> new Command.SetVersion(new ClusterState(1 + random.nextInt(2), limits()));
      case 17 -> new Command.TakeFingerprint();
      case 9 -> new Command.Reclaim(random.nextInt(Integer.MAX_VALUE));
      default ->
          new Command.SetAcl(origin(), bytes(), list(() -> new AclEntry(text(), flag(), flag())));
    };
  }

  private MetastoreLimits limits() {
    return new MetastoreLimits(
        limit(),
        limit(),
        1 + random.nextInt(1_000),
        limit(),
        limit(),
        limit(),
        limit(),
        limit(),
        limit());
  }

  private int limit() {
    return 1 + random.nextInt(Integer.MAX_VALUE - 1);
  }

  private KeyValue keyValue() {
    return new KeyValue(bytes(), bytes(), number(), number(), number(), number());
  }

  private OperationResult result() {
    return switch (random.nextInt(5)) {
      case 0 -> new OperationResult.Done(flag() ? Optional.of(keyValue()) : Optional.empty());
      case 1 -> new OperationResult.Deleted(number(), list(this::keyValue));
      case 2 -> new OperationResult.Selected(list(this::keyValue), flag(), number());
      case 3 ->
          random.nextInt(3) > 0
              ? result()
              : new OperationResult.Branched(flag(), list(this::result));
      default -> new OperationResult.Found(list(this::keyValue), flag());
    };
  }

  Answer answer() {
    return switch (random.nextInt(8)) {
      case 0 -> new Answer.SessionOpened(number(), duration());
      case 1 -> new Answer.Transacted(flag(), number(), list(this::result));
      case 2 -> new Answer.Granted(number());
      case 3 -> new Answer.Queued();
      case 4 -> new Answer.Done();
      case 5 -> new Answer.Reclaimed(flag());
      case 6 -> new Answer.LeaseGranted(random.nextLong(), duration());
      default -> new Answer.Refused(pick(List.of(Answer.Kind.values())), text());
    };
  }
}
