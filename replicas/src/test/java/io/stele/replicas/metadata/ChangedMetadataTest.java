package io.stele.replicas.metadata;

import static io.stele.replicas.metadata.MetadataSamples.on;
import static io.stele.replicas.metadata.MetadataSamples.split;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.replicas.metadata.MetadataChange.BeginSplit;
import io.stele.replicas.metadata.MetadataChange.FinalizeJoin;
import io.stele.replicas.metadata.MetadataChange.FinalizeSplit;
import io.stele.replicas.metadata.MetadataChange.Join;
import io.stele.replicas.metadata.MetadataChange.Leave;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChangedMetadataTest {
  private static final Metadata FIRST =
      Metadata.first("t", "0", "p", List.of(on("a", "pa"), on("b", "pb"), on("c", "pc")));

  private static Metadata apply(Metadata base, MetadataChange.Operation operation) {
    return ChangedMetadata.of(
        base, new MetadataChange(base.txn(), String.valueOf(base.sequence()), operation));
  }

  private static Metadata splitting() {
    return apply(FIRST, new BeginSplit("p", split("m", "n", "a", "b", "d")));
  }

  @Test
  void eachChangeCountsOne() {
    Metadata changed = splitting();
    assertThat(changed.sequence()).isEqualTo(FIRST.sequence() + 1);
    assertThat(changed.txn()).isEqualTo("1");
    assertThat(changed.table()).isEqualTo("t");
  }

  @Test
  void otherBaseIsRefused() {
    assertThatThrownBy(
            () ->
                ChangedMetadata.of(
                    FIRST, new MetadataChange("x", "1", new FinalizeJoin("p", "pa"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("transaction 0")
        .hasMessageContaining("based on x");
  }

  @Test
  void splitIsRecordedInTheEntryOfThePartition() {
    Partition partition = splitting().partitions().getFirst();
    assertThat(partition.id()).isEqualTo("p");
    assertThat(partition.members()).isEqualTo(FIRST.partitions().getFirst().members());
    assertThat(partition.split()).contains(split("m", "n", "a", "b", "d"));
  }

  @Test
  void secondSplitIsRefusedWhileOneIsUnderWay() {
    Metadata splitting = splitting();
    assertThatThrownBy(() -> apply(splitting, new BeginSplit("p", split("k", "o", "a"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("partition p is being split at m");
  }

  @Test
  void splitMustLeaveRowsOnBothSides() {
    Metadata halves = apply(splitting(), new FinalizeSplit("p", "n-low", "n-up"));
    for (String at : List.of("m", "n", "")) {
      assertThatThrownBy(() -> apply(halves, new BeginSplit("n-low", split(at, "o", "a"))))
          .isInstanceOf(InvalidRequestException.class);
    }
    assertThatThrownBy(() -> apply(halves, new BeginSplit("n-up", split("m", "o", "a"))))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void finalizePutsTheHalvesInThePlaceOfThePartition() {
    Metadata halves = apply(splitting(), new FinalizeSplit("p", "n-low", "n-up"));
    assertThat(halves.partitions()).extracting(Partition::id).containsExactly("n-low", "n-up");
    Partition lower = halves.partitionOf(Bytes.utf8("m"));
    Partition upper = halves.partitionOf(Bytes.utf8("m\0"));
    assertThat(lower.id()).isEqualTo("n-low");
    assertThat(upper.id()).isEqualTo("n-up");
    assertThat(upper.members())
        .containsExactly(on("a", "n-up-a"), on("b", "n-up-b"), on("d", "n-up-d"));
  }

  @Test
  void partitionInTheMiddleIsReplacedInItsPlace() {
    Metadata two = apply(splitting(), new FinalizeSplit("p", "n-low", "n-up"));
    Metadata three =
        apply(
            apply(two, new BeginSplit("n-low", split("f", "k", "a"))),
            new FinalizeSplit("n-low", "k-low", "k-up"));
    assertThat(three.partitions())
        .extracting(Partition::id)
        .containsExactly("k-low", "k-up", "n-up");
  }

  @Test
  void secondFinalizeIsRefusedAndChangesNothing() {
    Metadata halves = apply(splitting(), new FinalizeSplit("p", "n-low", "n-up"));
    assertThatThrownBy(() -> apply(halves, new FinalizeSplit("p", "n-low", "n-up")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("no partition p");
  }

  @Test
  void finalizeMustNameTheHalves() {
    Metadata splitting = splitting();
    for (var other :
        List.of(new FinalizeSplit("p", "n-up", "n-low"), new FinalizeSplit("p", "x", "n-up"))) {
      assertThatThrownBy(() -> apply(splitting, other))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("not being split into");
    }
    assertThatThrownBy(() -> apply(FIRST, new FinalizeSplit("p", "n-low", "n-up")))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void whoJoinsBecomesMemberInThePlaceOfAnother() {
    Metadata joining = apply(FIRST, new Join("p", on("d", "pd"), Optional.of("pb")));
    assertThat(joining.partitions().getFirst().members()).hasSize(3);
    Partition joined = apply(joining, new FinalizeJoin("p", "pd")).partitions().getFirst();
    assertThat(joined.members()).containsExactly(on("a", "pa"), on("d", "pd"), on("c", "pc"));
    assertThat(joined.joining()).isEmpty();
  }

  @Test
  void whoReplacesNobodyComesInAddition() {
    Metadata joining = apply(FIRST, new Join("p", on("d", "pd"), Optional.empty()));
    Partition joined = apply(joining, new FinalizeJoin("p", "pd")).partitions().getFirst();
    assertThat(joined.members()).hasSize(4).endsWith(on("d", "pd"));
  }

  @Test
  void secondFinalizeOfAJoinIsRefused() {
    Metadata joined =
        apply(
            apply(FIRST, new Join("p", on("d", "pd"), Optional.of("pb"))),
            new FinalizeJoin("p", "pd"));
    assertThatThrownBy(() -> apply(joined, new FinalizeJoin("p", "pd")))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void memberIsReplacedByOneOnly() {
    Metadata joining = apply(FIRST, new Join("p", on("d", "pd"), Optional.of("pb")));
    assertThatThrownBy(() -> apply(joining, new Join("p", on("e", "pe"), Optional.of("pb"))))
        .isInstanceOf(ConflictException.class);
    assertThatThrownBy(() -> apply(FIRST, new Join("p", on("e", "pe"), Optional.of("x"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("no member x");
  }

  @Test
  void serverIsInAPartitionOnce() {
    assertThatThrownBy(() -> apply(FIRST, new Join("p", on("a", "new"), Optional.of("pa"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("server a twice");
  }

  @Test
  void idsAreUnique() {
    assertThatThrownBy(() -> apply(FIRST, new Join("p", on("d", "pa"), Optional.empty())))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("assignment \"pa\"");
    Partition.Split twice =
        new Partition.Split(
            Bytes.utf8("m"),
            new Partition.Half("p", List.of(on("a", "x"))),
            new Partition.Half("q", List.of(on("a", "y"))));
    assertThatThrownBy(() -> apply(FIRST, new BeginSplit("p", twice)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("half \"p\"");
  }

  @Test
  void whoJoinsAHalfIsThereAtOnce() {
    Metadata changed = apply(splitting(), new Join("n-up", on("e", "new"), Optional.of("n-up-b")));
    Partition.Split split = changed.partitions().getFirst().split().orElseThrow();
    assertThat(split.upper().members())
        .containsExactly(on("a", "n-up-a"), on("e", "new"), on("d", "n-up-d"));
    assertThat(split.lower()).isEqualTo(split("m", "n", "a", "b", "d").lower());
  }

  @Test
  void membersLeaveAsLongAsOneIsLeft() {
    Metadata one = apply(FIRST, new Leave("p", List.of("pa", "pc")));
    assertThat(one.partitions().getFirst().members()).containsExactly(on("b", "pb"));
    assertThatThrownBy(() -> apply(one, new Leave("p", List.of("pb"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("one must be left");
  }

  @Test
  void assignmentsLeaveHalvesToo() {
    Metadata changed = apply(splitting(), new Leave("p", List.of("pc", "n-low-a")));
    Partition partition = changed.partitions().getFirst();
    assertThat(partition.members()).hasSize(2);
    assertThat(partition.split().orElseThrow().lower().members())
        .containsExactly(on("b", "n-low-b"), on("d", "n-low-d"));
    assertThatThrownBy(() -> apply(changed, new Leave("p", List.of("n-low-b", "n-low-d"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("half n-low");
  }

  @Test
  void whoWasToReplaceOneThatLeftComesInAddition() {
    Metadata joining = apply(FIRST, new Join("p", on("d", "pd"), Optional.of("pb")));
    Metadata left = apply(joining, new Leave("p", List.of("pb")));
    assertThat(left.partitions().getFirst().joining())
        .containsExactly(new Partition.Joining(on("d", "pd"), Optional.empty()));
    assertThatThrownBy(() -> apply(left, new Leave("p", List.of("pb"))))
        .isInstanceOf(ConflictException.class);
  }
}
