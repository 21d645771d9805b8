package io.stele.metastore.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import io.stele.testkit.golden.FormatFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Log entries and kept answers of every version, with all that can be in them; read for ever. */
class EntryVersion1Test {
  private static final Bytes KEY = Bytes.utf8("/größe");
  private static final KeyRange ONE = KeyRange.of(KEY);
  private static final KeyRange REST = new KeyRange(Bytes.of((byte) 0, (byte) 0xff), null);
  private static final Origin SESSION = new Origin("me", 300, 7_000, 6_500);
  private static final Duration TIME = Duration.ofSeconds(5, 250_000_000);
  private static final KeyValue VALUE = new KeyValue(KEY, Bytes.utf8("v"), 5, 900, 3, 300);

  private static List<Comparison> comparisons() {
    List<Comparison> all = new ArrayList<>();
    for (Comparison.Field field : Comparison.Field.values()) {
      all.add(new Comparison.Property(ONE, field, Comparison.Relation.EQUAL, 1_000_000));
    }
    for (Comparison.Relation relation : Comparison.Relation.values()) {
      all.add(new Comparison.Value(REST, relation, Bytes.utf8("x")));
    }
    all.add(new Comparison.LockHeld(KEY, 12));
    all.add(new Comparison.Present(REST));
    return all;
  }

  private static List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    all.add(new Operation.Put(KEY, Bytes.utf8("value"), 300, true));
    all.add(new Operation.Delete(REST, false));
    all.add(new Operation.Get(ONE, 100));
    all.add(new Operation.Assign(KEY, Bytes.EMPTY, -2, true, false, false));
    all.add(new Operation.Assign(KEY, Bytes.EMPTY, 2, false, true, true));
    for (Selection.Order order : Selection.Order.values()) {
      all.add(new Operation.Select(selection(order, Selection.Target.KEY, true, false)));
    }
    for (Selection.Target target : Selection.Target.values()) {
      all.add(new Operation.Select(selection(Selection.Order.NONE, target, false, true)));
    }
    all.add(
        new Operation.Branch(
            List.of(new Comparison.Present(ONE)),
            List.of(new Operation.Get(ONE, 1)),
            List.of(new Operation.Delete(ONE, true))));
    return all;
  }

  private static Selection selection(
      Selection.Order order, Selection.Target target, boolean keysOnly, boolean countOnly) {
    return new Selection(
        REST, 900, 10, order, target, keysOnly, countOnly, new Selection.Bounds(1, 2, 3, 4));
  }

  private static List<Command> commands() {
    return List.of(
        new Command.OpenSession("me", TIME, "label", Bytes.utf8("request")),
        new Command.CloseSession("me", 300),
        new Command.ExpireSession(301),
        new Command.Transact(
            SESSION,
            new Transaction(
                comparisons(),
                operations(),
                List.of(new Operation.Delete(ONE, true)),
                Optional.of(new ReadSet(4, 900, List.of(ONE, REST))))),
        new Command.Transact(Origin.NOBODY, Transaction.of(new Operation.Get(ONE, 0))),
        new Command.Acquire(SESSION, KEY, true, TIME, Duration.ofSeconds(60)),
        new Command.Release(SESSION, KEY),
        new Command.EndWait(KEY, 300, 7_000),
        new Command.EndDelay(KEY, 12),
        new Command.Compact(Origin.of("admin"), 800),
        new Command.Reclaim(1_000),
        new Command.SetAcl(
            SESSION,
            Bytes.utf8("/dir"),
            List.of(
                new AclEntry("*", true, false),
                new AclEntry("me", true, true),
                new AclEntry("writer", false, true),
                new AclEntry("nobody", false, false))),
        new Command.GrantLease(-9, TIME),
        new Command.RevokeLease("me", 9),
        new Command.ExpireLease(10));
  }

  /** What was added to the version after the first file was written. */
  private static List<Command> addedCommands() {
    return List.of(
        new Command.ExpireSession(301, 4),
        new Command.ExpireLease(10, 4),
        new Command.EndGrant(KEY, 300, 7_000, 12));
  }

  /** Those that made it version 2. */
  private static List<Command> secondCommands() {
    return List.of(
        new Command.SetVersion(
            new ClusterState(2, new MetastoreLimits(1, 2_000, 3, 4, 5, 6, 7, 8, 9))),
        new Command.TakeFingerprint(),
        new Command.EndGrant(KEY, 300, 7_000, 12));
  }

  private static List<Answer> answers() {
    List<Answer> all = new ArrayList<>();
    all.add(new Answer.SessionOpened(300, TIME));
    all.add(
        new Answer.Transacted(
            true,
            900,
            List.of(
                new OperationResult.Done(Optional.of(VALUE)),
                new OperationResult.Done(Optional.empty()),
                new OperationResult.Deleted(2, List.of(VALUE)),
                new OperationResult.Found(List.of(VALUE), true),
                new OperationResult.Selected(List.of(VALUE), false, 77),
                new OperationResult.Branched(
                    false, List.of(new OperationResult.Done(Optional.empty()))))));
    all.add(new Answer.Granted(12));
    all.add(new Answer.Queued());
    all.add(new Answer.Done());
    all.add(new Answer.Reclaimed(true));
    all.add(new Answer.LeaseGranted(-9, TIME));
    for (Answer.Kind kind : Answer.Kind.values()) {
      if (kind != Answer.Kind.NO_SPACE) { // which was added later
        all.add(new Answer.Refused(kind, "why: ü"));
      }
    }
    return all;
  }

  @Test
  void anEntryWithEveryCommand() {
    byte[] stored = FormatFile.read("log-entry-v1.bin", EntryCodec.encode(commands()).toArray());
    assertThat(EntryCodec.decode("entry", Bytes.wrap(stored))).isEqualTo(commands());
    byte[] later = FormatFile.read("log-entry-added-1.bin"); // they are of version 2 now
    assertThat(EntryCodec.decode("entry", Bytes.wrap(later))).isEqualTo(addedCommands());
    byte[] second =
        FormatFile.read("log-entry-v2.bin", EntryCodec.encode(secondCommands()).toArray());
    assertThat(EntryCodec.decode("entry", Bytes.wrap(second))).isEqualTo(secondCommands());
    assertThat(
            Stream.of(commands(), addedCommands(), secondCommands())
                .flatMap(List::stream)
                .map(Object::getClass))
        .containsAll(List.of(kindsOf(Command.class)));
    assertThat(kinds(comparisons())).containsExactlyInAnyOrder(kindsOf(Comparison.class));
    assertThat(kinds(operations())).containsExactlyInAnyOrder(kindsOf(Operation.class));
  }

  @Test
  void everyAnswer() throws Malformed {
    ByteBuilder out = new ByteBuilder(1024);
    answers().forEach(answer -> AnswerCodec.write(out, answer));
    byte[] stored = FormatFile.read("answers-v1.bin", out.toArray());
    ByteReader in = new ByteReader(stored, 0, stored.length);
    List<Answer> found = new ArrayList<>();
    while (in.remaining() > 0) {
      found.add(AnswerCodec.read(in));
    }
    assertThat(found).isEqualTo(answers());
    assertThat(kinds(answers())).containsExactlyInAnyOrder(kindsOf(Answer.class));
    assertThat(kinds(((Answer.Transacted) answers().get(1)).results()))
        .containsExactlyInAnyOrder(kindsOf(OperationResult.class));
  }

  @Test
  void anAnswerOfAKindThatWasAddedLater() throws Malformed {
    Answer answer = new Answer.Refused(Answer.Kind.NO_SPACE, "why: ü");
    ByteBuilder out = new ByteBuilder(64);
    AnswerCodec.write(out, answer);
    byte[] stored = FormatFile.read("answers-added-1.bin", out.toArray());
    assertThat(AnswerCodec.read(new ByteReader(stored, 0, stored.length))).isEqualTo(answer);
  }

  private static Set<Class<?>> kinds(List<?> items) {
    return items.stream().map(Object::getClass).collect(Collectors.toSet());
  }

  /** All records of a sealed interface; the enum of refusals is none of its cases. */
  private static Class<?>[] kindsOf(Class<?> sealed) {
    return sealed.getPermittedSubclasses();
  }
}
