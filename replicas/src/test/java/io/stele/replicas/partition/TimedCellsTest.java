package io.stele.replicas.partition;

import static io.stele.replicas.partition.TestReplica.C;
import static io.stele.replicas.partition.TestReplica.F;
import static io.stele.replicas.partition.TestReplica.batch;
import static io.stele.replicas.partition.TestReplica.bytes;
import static io.stele.replicas.partition.TestReplica.put;
import static io.stele.replicas.partition.TestReplica.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimedCellsTest {
  private static final String ALL = "[" + Long.MIN_VALUE;
  private final TimedCells cells = new TimedCells("t", TestReplica.SCHEMA);

  private List<String> stamped(Cell... changes) {
    return texts(cells.stamp(batch(changes), 100));
  }

  @Test
  void putsThatAskForItGetTheServersTime() {
    assertThat(stamped(put("a", Cell.SERVER_TIME, "x"), put("b", 7, "y")))
        .containsExactly("a/f:c@100=x", "b/f:c@7=y");
  }

  @Test
  void erasuresOfAllBecomeErasuresUpToNow() {
    assertThat(
            stamped(
                Cell.eraseRow(bytes("a")),
                Cell.eraseFamily(bytes("b"), F),
                Cell.eraseColumn(bytes("c"), F, C),
                Cell.eraseColumn(bytes("d"), F, C, 40, Long.MAX_VALUE)))
        .containsExactly(
            "-a@" + ALL + ",100)",
            "-b/f@" + ALL + ",100)",
            "-c/f:c@" + ALL + ",100)",
            "-d/f:c@[40,100)");
  }

  @Test
  void rangesThatEndAndThoseOfTheFutureStay() {
    assertThat(
            stamped(
                Cell.eraseCell(bytes("a"), F, C, 7),
                Cell.eraseColumn(bytes("b"), F, C, 5, 900),
                Cell.eraseColumn(bytes("c"), F, C, 200, Long.MAX_VALUE)))
        .containsExactly("-a/f:c@7", "-b/f:c@[5,900)", "-c/f:c@[200," + Long.MAX_VALUE + ")");
  }

  @Test
  void aRowThatIsReplacedInOneRequestHasWhatWasPut() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 50, "old"));
      replica.apply(
          cells.stamp(batch(Cell.eraseRow(bytes("a")), put("a", Cell.SERVER_TIME, "new")), 100));
      assertThat(replica.seen()).containsExactly("a/f:c@100=new");
    }
  }

  @Test
  void familiesThatTheTableDoesNotHaveAreRefused() {
    assertThatThrownBy(() -> stamped(Cell.put(bytes("a"), bytes("h"), C, 1, bytes("x"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("family \"h\" of row \"a\": table \"t\" has only the families \"f\", \"g\"");
  }

  /** Else an older version would come back where it had not been purged. */
  @Test
  void whereHistoryIsPurgedSingleVersionsAreNotErased() {
    TableSchema schema =
        TableSchema.of(GroupSchema.of("d", "f").withPurge(PurgePolicy.parse("max-history=2")))
            .withReplication(Replication.of(3));
    TimedCells counted = new TimedCells("t", schema);
    for (Cell erasure :
        List.of(
            Cell.eraseCell(bytes("a"), F, C, 7),
            Cell.eraseColumn(bytes("a"), F, C, 5, 9),
            Cell.eraseFamily(bytes("a"), F, 5, 9),
            Cell.eraseRow(bytes("a"), 5, 9))) {
      assertThatThrownBy(() -> counted.stamp(batch(erasure), 100))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("of row \"a\" cannot be erased")
          .hasMessageContaining("max-history=2");
    }
    assertThat(
            texts(counted.stamp(batch(Cell.eraseColumn(bytes("a"), F, C, Long.MIN_VALUE, 9)), 100)))
        .hasSize(1);
  }
}
