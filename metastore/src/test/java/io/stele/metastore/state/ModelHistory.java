package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Makes up commands that are likely to matter in the state a model is in. */
final class ModelHistory {
  static final List<Bytes> KEYS =
      Stream.of("/a", "/b", "/b-c", "/b/x", "/b/x/y", "/c", "/d/1", "/d/2", "/e")
          .map(Bytes::utf8)
          .toList();
  private static final List<Bytes> LOCKS = KEYS.subList(0, 3);

  private final RandomGenerator random;
  private final Model model;
  private final List<Command> sent = new ArrayList<>();
  private long sequence;
  private int requests;

  ModelHistory(RandomGenerator random, Model model) {
    this.random = random;
    this.model = model;
  }

  private static <T> T pick(RandomGenerator random, List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  static KeyRange range(RandomGenerator random) {
    Bytes a = pick(random, KEYS);
    Bytes b = pick(random, KEYS);
    return switch (random.nextInt(5)) {
      case 0 -> KeyRange.ALL;
      case 1 -> KeyRange.prefix(Bytes.utf8("/b/"));
      case 2 -> a.compareTo(b) <= 0 ? new KeyRange(a, b) : new KeyRange(b, a);
      default -> KeyRange.of(a);
    };
  }

  private long session() {
    if (model.sessions.isEmpty() || random.nextInt(15) == 0) {
      return 7; // nobody's
    }
    return pick(random, List.copyOf(model.sessions.keySet()));
  }

  private Origin origin() {
    return random.nextInt(3) == 0
        ? Origin.NOBODY
        : new Origin("", session(), ++sequence, Math.max(0, sequence - 100));
  }

  private Origin sessionOrigin() {
    return new Origin("", session(), ++sequence, Math.max(0, sequence - 100));
  }

  private <T> List<T> list(int most, Supplier<T> item) {
    List<T> items = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      items.add(item.get());
    }
    return items;
  }

  private Bytes value() {
    return Bytes.utf8("v" + random.nextInt(4));
  }

  private Operation operation() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> new Operation.Delete(range(random), random.nextBoolean());
      case 2 -> new Operation.Get(range(random), random.nextInt(4));
      default ->
          new Operation.Put(
              pick(random, KEYS),
              value(),
              random.nextInt(4) == 0 ? session() : 0,
              random.nextBoolean());
    };
  }

  private Comparison comparison() {
    Relation relation = pick(random, List.of(Relation.values()));
    return switch (random.nextInt(4)) {
      case 0 -> new Comparison.Value(range(random), relation, value());
      case 1 -> new Comparison.LockHeld(pick(random, LOCKS), token());
      default ->
          new Comparison.Property(
              range(random),
              pick(random, List.of(Field.values())),
              relation,
              random.nextBoolean() ? random.nextInt(3) : operand());
    };
  }

  private long operand() {
    KeyValue any = model.now().get(pick(random, KEYS));
    return any == null ? 0 : pick(random, List.of(any.created(), any.modified(), any.session()));
  }

  private long token() {
    ModelLock lock = model.locks.get(pick(random, LOCKS));
    return lock == null || lock.holders.isEmpty()
        ? 5
        : lock.holders.values().iterator().next().token;
  }

  private Transaction transaction(long term) {
    Optional<ReadSet> reads = Optional.empty();
    if (random.nextInt(3) == 0) {
      long revision = Math.max(1, model.revision() - random.nextInt(6));
      reads =
          Optional.of(
              new ReadSet(
                  random.nextInt(10) == 0 ? term - 1 : term,
                  revision,
                  list(3, () -> range(random))));
    }
    return new Transaction(
        random.nextBoolean() ? List.of() : list(2, this::comparison),
        list(4, this::operation),
        list(2, this::operation),
        reads);
  }

  Command next(long term) {
    Command command = !sent.isEmpty() && random.nextInt(8) == 0 ? again() : make(term);
    if (!(command instanceof Command.Reclaim)) {
      sent.add(command);
    }
    return command;
  }

  /** A request that came before, most likely not long ago. */
  private Command again() {
    int back = Math.min(sent.size(), 1 + random.nextInt(20));
    return sent.get(sent.size() - back);
  }

  private Command make(long term) {
    return switch (random.nextInt(24)) {
      case 0, 1 -> open();
      case 2 -> new Command.CloseSession("", session());
      case 3 -> new Command.ExpireSession(session());
      case 4, 5, 6, 7 ->
          new Command.Acquire(
              sessionOrigin(),
              pick(random, LOCKS),
              random.nextInt(3) > 0,
              Duration.ofSeconds(random.nextInt(4)),
              Duration.ofSeconds(random.nextInt(3)));
      case 8, 9, 10 -> new Command.Release(sessionOrigin(), pick(random, LOCKS));
      case 11 -> endWait();
      case 12 -> endDelay();
      case 13 ->
          new Command.Compact(
              Origin.NOBODY, Math.max(0, model.revision() + 1 - random.nextInt(12)));
      case 14 -> new Command.Reclaim(1 + random.nextInt(6));
      default -> new Command.Transact(origin(), transaction(term));
    };
  }

  private Command open() {
    return new Command.OpenSession(
        "",
        Duration.ofSeconds(1 + random.nextInt(5)),
        "label",
        Bytes.utf8("request " + (random.nextInt(6) == 0 ? requests : ++requests)));
  }

  private Command endWait() {
    for (Map.Entry<Bytes, ModelLock> entry : model.locks.entrySet()) {
      if (!entry.getValue().queue.isEmpty() && random.nextBoolean()) {
        Origin origin = pick(random, entry.getValue().queue).origin();
        return new Command.EndWait(entry.getKey(), origin.session(), origin.sequence());
      }
    }
    return new Command.EndWait(pick(random, LOCKS), 3, 3);
  }

  private Command endDelay() {
    for (Map.Entry<Bytes, ModelLock> entry : model.locks.entrySet()) {
      if (entry.getValue().delayToken != 0) {
        return new Command.EndDelay(entry.getKey(), entry.getValue().delayToken);
      }
    }
    return new Command.EndDelay(pick(random, LOCKS), 3);
  }
}
