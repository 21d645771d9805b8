package io.stele.tables.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import org.junit.jupiter.api.Test;

class SchemaChangeTest {
  private static final GroupSchema REST = GroupSchema.of("rest", "*");
  private static final GroupSchema A = GroupSchema.of("A", "X", "Y");
  private static final GroupSchema B = GroupSchema.of("B", "Z");
  private static final TableSchema OLD = TableSchema.of(REST, A, B);

  @Test
  void theSameSchemaChangesNothing() {
    assertThat(SchemaChange.between(OLD, TableSchema.of(B, A, REST)).isNone()).isTrue();
  }

  /** The seed's example: A loses Y to B, and Z goes back to the wildcard. */
  @Test
  void familiesThatMoveNameTheGroupsOnBothSides() {
    SchemaChange change =
        SchemaChange.between(
            OLD, TableSchema.of(REST, GroupSchema.of("A", "X"), GroupSchema.of("B", "Y")));
    assertThat(change.regrouped()).containsExactly("A", "B", "rest");
    assertThat(change.movesFamilies()).isTrue();
    assertThat(change.added()).isEmpty();
    assertThat(change.removed()).isEmpty();
  }

  @Test
  void aNewGroupTakesFamiliesFromTheWildcard() {
    SchemaChange change =
        SchemaChange.between(OLD, TableSchema.of(REST, A, B, GroupSchema.of("C", "W")));
    assertThat(change.added()).containsExactly("C");
    assertThat(change.regrouped()).containsExactly("C", "rest");
  }

  @Test
  void aDroppedWildcardAndADroppedGroupAreSeen() {
    assertThat(SchemaChange.between(OLD, TableSchema.of(A, B)).regrouped()).containsExactly("rest");
    SchemaChange change = SchemaChange.between(OLD, TableSchema.of(REST, A));
    assertThat(change.removed()).containsExactly("B");
    assertThat(change.regrouped()).containsExactly("B", "rest");
  }

  @Test
  void settingsAreToldApartAndMoveNothing() {
    SchemaChange change =
        SchemaChange.between(
            OLD,
            TableSchema.of(
                REST.withPurge(PurgePolicy.parse("max-history=1")),
                A.withCompression(Compression.LZ4),
                B.withBlockSize(1024).withInMemory(true)));
    assertThat(change.purges()).containsExactly("rest");
    assertThat(change.formats()).containsExactly("A", "B");
    assertThat(change.cached()).containsExactly("B");
    assertThat(change.movesFamilies()).isFalse();
    assertThat(change.isNone()).isFalse();
  }
}
