package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Selection.Bounds;
import io.stele.metastore.command.Selection.Order;
import io.stele.metastore.command.Selection.Target;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys that are no paths, the leases they end with, and the steps that only they have. */
class OpaqueKeysTest {
  private static final KeyRange ALL = OpaqueKey.range(new byte[0], null);

  private final TestState test = new TestState();

  @AfterEach
  void close() {
    test.close();
  }

  private static Bytes key(String text) {
    return OpaqueKey.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Operation assign(String key, String value, long lease) {
    return new Operation.Assign(key(key), Bytes.utf8(value), lease, false, false, false);
  }

  private static Operation select(Selection selection) {
    return new Operation.Select(selection);
  }

  private static Selection at(long revision) {
    return new Selection(ALL, revision, 0, Order.NONE, Target.KEY, false, false, Bounds.NONE);
  }

  private static Selection sorted(Order order, Target target, long limit) {
    return new Selection(ALL, 0, limit, order, target, false, false, Bounds.NONE);
  }

  private List<String> keys(Selection selection) {
    return names(test.state.select(selection).keys());
  }

  private static List<String> names(List<KeyValue> keys) {
    return keys.stream().map(kv -> kv.key().toUtf8().substring(1)).toList();
  }

  private Answer grant(long id) {
    return test.apply(new Command.GrantLease(id, Duration.ofSeconds(10)));
  }

  private static Kind kind(Answer answer) {
    return ((Refused) answer).kind();
  }

  private static long revision(Answer answer) {
    return ((Answer.Transacted) answer).revision();
  }

  // ---- beside the paths

  @Test
  void rangesOfPathsEndBeforeThemAndTheirsBehindPaths() {
    test.set("/path", "1");
    test.run(assign("any \0 bytes", "2", 0));
    test.run(assign("/path", "3", 0));

    assertThat(test.at(0, OpaqueKey.paths(KeyRange.ALL))).containsExactly("/path=1@2,2,1");
    assertThat(keys(Selection.of(ALL))).containsExactly("/path", "any \0 bytes");
    assertThat(OpaqueKey.paths(new KeyRange(Bytes.utf8("a"), Bytes.utf8("z"))).isEmpty()).isTrue();
    test.run(new Operation.Delete(ALL, false));
    assertThat(test.get("/path")).isEqualTo("/path=1@2,2,1");
  }

  @Test
  void aKeyThatNoRowCouldHoldIsRefused() {
    String large = "k".repeat(OpaqueKey.MAX_BYTES + 1);

    assertThat(kind(test.run(assign(large, "", 0)))).isEqualTo(Kind.INVALID);
    assertThat(test.run(assign("\0".repeat(OpaqueKey.MAX_BYTES), "", 0)))
        .isInstanceOf(Answer.Transacted.class);
    assertThat(kind(test.run(assign("", "", 0)))).isEqualTo(Kind.INVALID);
  }

  // ---- leases

  @Test
  void allKeysOfALeaseGoInOneRevision() {
    grant(-7);
    test.run(assign("a", "1", -7), assign("b", "2", -7), assign("c", "3", 0));
    long before = test.state.revision();

    test.apply(new Command.RevokeLease("", -7));

    assertThat(test.state.revision()).isEqualTo(before + 1);
    assertThat(keys(Selection.of(ALL))).containsExactly("c");
    assertThat(test.state.leases()).isEmpty();
    assertThat(kind(test.apply(new Command.RevokeLease("", -7)))).isEqualTo(Kind.LEASE_ABSENT);
    assertThat(kind(test.apply(new Command.ExpireLease(-7)))).isEqualTo(Kind.LEASE_ABSENT);
  }

  @Test
  void aPutWithoutTheLeaseTakesTheKeyOffIt() {
    grant(1);
    grant(2);
    test.run(assign("a", "1", 1));
    test.run(assign("b", "1", 1));
    test.run(assign("a", "2", 0));
    test.run(assign("b", "2", 2));
    long before = test.state.revision();

    test.apply(new Command.ExpireLease(1));

    assertThat(test.state.revision()).as("nothing to delete").isEqualTo(before);
    assertThat(keys(Selection.of(ALL))).containsExactly("a", "b");
    assertThat(test.state.leasedKeys(2)).containsExactly(key("b"));
  }

  @Test
  void aLeaseOfAnIdThatLivesIsRefusedAndSoIsAKeyOfOneThatDoesNot() {
    grant(1);

    assertThat(kind(grant(1))).isEqualTo(Kind.LEASE_EXISTS);
    assertThat(kind(test.run(assign("before", "1", 0), assign("a", "1", 2))))
        .isEqualTo(Kind.LEASE_ABSENT);
    assertThat(keys(Selection.of(ALL))).as("nothing was done").isEmpty();
  }

  @Test
  void leasesAndTheirKeysComeBackFromLogFilesAndCheckpoints() throws Exception {
    grant(1);
    test.run(assign("a", "1", 1));
    test.state.flush();
    grant(Long.MIN_VALUE);
    test.run(assign("b", "1", Long.MIN_VALUE));
    test.reopen();
    ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
    test.state.writeCheckpoint(checkpoint);
    try (TestState other = new TestState()) {
      other.state.installCheckpoint(new ByteArrayInputStream(checkpoint.toByteArray()));

      assertThat(other.state.fingerprint()).isEqualTo(test.state.fingerprint());
      assertThat(other.state.leasedKeys(1)).containsExactly(key("a"));
      assertThat(other.state.leasedKeys(Long.MIN_VALUE)).containsExactly(key("b"));
      assertThat(other.state.select(Selection.of(KeyRange.of(key("b")))).keys().getFirst().lease())
          .isEqualTo(Long.MIN_VALUE);
    }
  }

  // ---- steps

  @Test
  void whatIsToBeKeptMustBeThereBeforeTheFirstStep() {
    Operation keep = new Operation.Assign(key("a"), Bytes.EMPTY, 0, true, true, true);

    assertThat(kind(test.run(assign("b", "1", 0), keep))).isEqualTo(Kind.KEY_ABSENT);
    grant(1);
    test.run(assign("a", "1", 1));
    Answer.Transacted kept = (Answer.Transacted) test.run(keep);

    assertThat(((OperationResult.Done) kept.results().getFirst()).previous()).isPresent();
    KeyValue now = test.state.select(Selection.of(KeyRange.of(key("a")))).keys().getFirst();
    assertThat(now.value()).isEqualTo(Bytes.utf8("1"));
    assertThat(now.lease()).isEqualTo(1);
    assertThat(now.version()).isEqualTo(2);
  }

  @Test
  void comparisonsOfInnerTransactionsSeeTheStateBeforeTheFirstStep() {
    Comparison absent =
        new Comparison.Property(KeyRange.of(key("a")), Field.VERSION, Relation.EQUAL, 0);
    Operation.Branch branch =
        new Operation.Branch(
            List.of(absent), List.of(select(Selection.of(ALL))), List.of(assign("wrong", "", 0)));

    Answer.Transacted done = (Answer.Transacted) test.run(assign("a", "1", 0), branch);

    OperationResult.Branched inner = (OperationResult.Branched) done.results().get(1);
    assertThat(inner.succeeded()).isTrue();
    assertThat(names(((OperationResult.Selected) inner.results().getFirst()).keys()))
        .as("reads see what the steps before did")
        .containsExactly("a");
  }

  /** A range that is refused must be so before a write is done: others may have compacted less. */
  @Test
  void aRangeAtACompactedRevisionRefusesTheWholeTransaction() {
    test.run(assign("a", "1", 0));
    test.run(assign("a", "2", 0));
    test.run(assign("a", "3", 0));
    test.compact(3);
    long before = test.state.revision();

    assertThat(kind(test.run(assign("b", "1", 0), select(at(2))))).isEqualTo(Kind.COMPACTED);
    assertThat(kind(test.run(assign("b", "1", 0), select(at(before + 1)))))
        .isEqualTo(Kind.FUTURE_REVISION);
    assertThat(test.state.revision()).isEqualTo(before);
    Answer done = test.run(assign("b", "1", 0), select(at(3)));
    assertThat(revision(done)).isEqualTo(before + 1);
  }

  @Test
  void presenceIsWhatARangeWithoutKeysLacks() {
    Comparison present = new Comparison.Present(ALL);

    assertThat(
            ((Answer.Transacted) test.run(TestState.when(present, List.of(), List.of())))
                .succeeded())
        .isFalse();
    test.run(assign("a", "1", 0));
    assertThat(
            ((Answer.Transacted) test.run(TestState.when(present, List.of(), List.of())))
                .succeeded())
        .isTrue();
  }

  // ---- selections

  @Test
  void aLimitCountsAfterSortingExceptInNoNamedOrder() {
    test.run(assign("a", "3", 0));
    test.run(assign("b", "2", 0));
    test.run(assign("c", "1", 0));

    assertThat(keys(sorted(Order.ASCENDING, Target.VALUE, 2))).containsExactly("c", "b");
    assertThat(keys(sorted(Order.DESCENDING, Target.MODIFIED, 1))).containsExactly("c");
    assertThat(keys(sorted(Order.NONE, Target.VALUE, 1))).containsExactly("b");
    assertThat(keys(sorted(Order.NONE, Target.KEY, 2))).containsExactly("a", "b");
    assertThat(test.state.select(sorted(Order.NONE, Target.KEY, 2)).count()).isEqualTo(3);
    assertThat(test.state.select(sorted(Order.NONE, Target.KEY, 2)).more()).isTrue();
    assertThat(test.state.select(sorted(Order.NONE, Target.KEY, 3)).more()).isFalse();
  }

  @Test
  void boundsLeaveOutWhatTheyStillCount() {
    test.run(assign("a", "1", 0));
    test.run(assign("b", "1", 0));
    test.run(assign("a", "2", 0));
    Selection old =
        new Selection(ALL, 0, 0, Order.NONE, Target.KEY, true, false, new Bounds(0, 3, 0, 0));

    assertThat(keys(old)).containsExactly("b");
    assertThat(test.state.select(old).count()).isEqualTo(2);
    assertThat(test.state.select(old).keys().getFirst().value()).isEqualTo(Bytes.EMPTY);
  }
}
