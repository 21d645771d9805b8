package io.stele.replicas.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.table.Consistency.Acks;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When enough replicas have a change. */
class WaitingWriteTest {
  private static final Metadata WHOLE = new Metadata("t", "txn1", 1, List.of(whole(false)));
  private static final Metadata SPLITTING = new Metadata("t", "txn2", 2, List.of(whole(true)));
  private static final Metadata SPLIT =
      new Metadata(
          "t",
          "txn3",
          3,
          List.of(
              new Partition(
                  "lower",
                  Bytes.EMPTY,
                  Optional.of(Bytes.utf8("m")),
                  members("l1", "l2", "l3"),
                  List.of(),
                  Optional.empty()),
              new Partition(
                  "upper",
                  Bytes.utf8("m"),
                  Optional.empty(),
                  members("u1", "u2", "u3"),
                  List.of(),
                  Optional.empty())));

  private static Partition whole(boolean splitting) {
    Partition.Split split =
        new Partition.Split(
            Bytes.utf8("m"),
            new Partition.Half("lower", members("l1", "l2", "l3")),
            new Partition.Half("upper", members("u1", "u2", "u3")));
    return new Partition(
        "p",
        Bytes.EMPTY,
        Optional.empty(),
        members("p1", "p2", "p3"),
        List.of(),
        splitting ? Optional.of(split) : Optional.empty());
  }

  private static List<Assignment> members(String... ids) {
    return Stream.of(ids).map(id -> new Assignment("server" + id.charAt(1), id)).toList();
  }

  private static WaitingWrite write(Acks acks, String row) {
    WaitingWrite write = new WaitingWrite(acks, Bytes.utf8(row), Bytes.utf8(row), 1_000);
    write.sequence(7);
    write.durableHere("begun at one that is no member", WHOLE);
    return write;
  }

  @Test
  void aMajorityOfTheMembersIsEnoughAndTheSameOneTwiceIsNot() {
    WaitingWrite write = write(Acks.MAJORITY, "a");
    write.heldBy("p1", 1, WHOLE);
    write.heldBy("p1", 1, WHOLE);
    write.heldBy("joining", 1, WHOLE);
    assertThat(write.isDone()).isFalse();
    write.heldBy("p3", 1, WHOLE);
    assertThat(write.answer()).isCompletedWithValue(7L);
  }

  @Test
  void nothingIsEnoughBeforeItIsDurableWhereItBegan() {
    WaitingWrite write = new WaitingWrite(Acks.MAJORITY, Bytes.utf8("a"), Bytes.utf8("a"), 1_000);
    write.heldBy("p2", 1, WHOLE);
    write.heldBy("p3", 1, WHOLE);
    assertThat(write.isDone()).isFalse();
    write.durableHere("p1", WHOLE);
    assertThat(write.isDone()).isTrue();
  }

  @Test
  void whileItIsSplitAMajorityOfTheHalfWithTheRowIsNeededToo() {
    WaitingWrite write = write(Acks.MAJORITY, "a");
    write.heldBy("p1", 2, SPLITTING);
    write.heldBy("p2", 2, SPLITTING);
    write.heldBy("u1", 2, SPLITTING);
    write.heldBy("u2", 2, SPLITTING);
    write.heldBy("l1", 2, SPLITTING);
    assertThat(write.isDone()).as("one of the lower half has it").isFalse();
    write.heldBy("l2", 2, SPLITTING);
    assertThat(write.isDone()).isTrue();
    WaitingWrite halvesAlone = write(Acks.MAJORITY, "z");
    halvesAlone.heldBy("u1", 2, SPLITTING);
    halvesAlone.heldBy("u2", 2, SPLITTING);
    assertThat(halvesAlone.isDone()).as("no member of the whole has it").isFalse();
  }

  @Test
  void whileAServerReplacesAMemberAMajorityOfTheMembersToBeIsNeededToo() {
    Partition.Joining joining =
        new Partition.Joining(new Assignment("server4", "p4"), Optional.of("p3"));
    Partition whole = whole(false);
    Metadata replacing =
        new Metadata(
            "t",
            "txn2",
            2,
            List.of(
                new Partition(
                    "p",
                    whole.first(),
                    whole.last(),
                    whole.members(),
                    List.of(joining),
                    Optional.empty())));
    WaitingWrite write = write(Acks.MAJORITY, "a");
    write.heldBy("p1", 2, replacing);
    write.heldBy("p3", 2, replacing);
    assertThat(write.isDone()).as("of 1, 2 and 4 one has it").isFalse();
    write.heldBy("p4", 2, replacing);
    assertThat(write.isDone()).isTrue();
    WaitingWrite staying = write(Acks.MAJORITY, "a");
    staying.heldBy("p1", 2, replacing);
    staying.heldBy("p2", 2, replacing);
    assertThat(staying.isDone()).as("1 and 2 are a majority of both").isTrue();
    WaitingWrite all = write(Acks.ALL, "a");
    List.of("p1", "p2", "p3").forEach(id -> all.heldBy(id, 2, replacing));
    assertThat(all.isDone()).isFalse();
    all.heldBy("p4", 2, replacing);
    assertThat(all.isDone()).isTrue();
  }

  @Test
  void aHolderThatKnowsMoreIsNotCountedByOneThatDoesNot() {
    WaitingWrite write = write(Acks.MAJORITY, "a");
    write.heldBy("p1", 1, WHOLE);
    write.heldBy("p2", 2, WHOLE); // knows of the split
    assertThat(write.isDone()).isFalse();
    write.look(SPLITTING);
    assertThat(write.isDone()).as("no half has it").isFalse();
    write.heldBy("l1", 3, SPLITTING); // knows that it is done
    write.heldBy("l3", 3, SPLITTING);
    assertThat(write.isDone()).isFalse();
    write.look(SPLIT);
    assertThat(write.isDone()).isTrue();
  }

  @Test
  void afterASplitTheMembersOfTheWholeCountForNothing() {
    WaitingWrite write = write(Acks.ONE, "z");
    write.heldBy("p1", 3, SPLIT);
    write.heldBy("l1", 3, SPLIT);
    assertThat(write.isDone()).isFalse();
    write.heldBy("u1", 3, SPLIT);
    assertThat(write.isDone()).isTrue();
  }

  @Test
  void whenItsTimeIsOverItSaysHowManyHaveIt() {
    WaitingWrite write = write(Acks.ALL, "a");
    write.heldBy("p1", 1, WHOLE);
    write.heldBy("p2", 1, WHOLE);
    assertThat(write.expire(999, WHOLE)).isFalse();
    assertThat(write.expire(1_000, WHOLE)).isTrue();
    assertThatThrownBy(() -> write.answer().join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("row \"a\" is stored on 2 of 3 replicas, ALL was asked for");
  }
}
