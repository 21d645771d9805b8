package io.stele.replicas.partition;

import static io.stele.replicas.partition.TestReplica.C;
import static io.stele.replicas.partition.TestReplica.F;
import static io.stele.replicas.partition.TestReplica.batch;
import static io.stele.replicas.partition.TestReplica.bytes;
import static io.stele.replicas.partition.TestReplica.put;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryRuleTest {
  private static final List<Cell> SINGLE_VERSIONS =
      List.of(
          Cell.eraseCell(bytes("a"), F, C, 7),
          Cell.eraseColumn(bytes("a"), F, C, 5, 9),
          Cell.eraseFamily(bytes("a"), F, 5, 9),
          Cell.eraseRow(bytes("a"), 5, 9));

  private static TableSchema schema(String purge) {
    return TableSchema.of(GroupSchema.of("d", "f").withPurge(PurgePolicy.parse(purge)))
        .withReplication(Replication.of(3));
  }

  @Test
  void whereHistoryIsPurgedSingleVersionsAreNotErased() {
    for (Cell erasure : SINGLE_VERSIONS) {
      assertThatThrownBy(
              () ->
                  HistoryRule.check("t", schema("max-history=2"), batch(put("A", 1, "x"), erasure)))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("of row \"a\" cannot be erased")
          .hasMessageContaining("max-history=2");
    }
  }

  @Test
  void allElseIsTaken() {
    for (Cell erasure :
        List.of(
            Cell.eraseRow(bytes("a")),
            Cell.eraseFamily(bytes("a"), F, Long.MIN_VALUE, 9),
            Cell.eraseColumn(bytes("a"), F, C))) {
      assertThatCode(() -> HistoryRule.check("t", schema("max-history=2"), batch(erasure)))
          .doesNotThrowAnyException();
    }
    for (Cell erasure : SINGLE_VERSIONS) {
      assertThatCode(() -> HistoryRule.check("t", schema("max-age=100"), batch(erasure)))
          .doesNotThrowAnyException();
    }
  }
}
