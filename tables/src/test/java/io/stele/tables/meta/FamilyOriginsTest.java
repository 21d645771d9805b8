package io.stele.tables.meta;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.MetaTable.StoredSchema;
import org.junit.jupiter.api.Test;

class FamilyOriginsTest {
  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes G = Bytes.utf8("g");
  private static final TableSchema ALL = TableSchema.of(GroupSchema.of("all", "*"));

  private static TableSchema families(String... families) {
    return TableSchema.ofFamilies(families);
  }

  private static FamilyOrigins after(TableSchema first, TableSchema... next) {
    StoredSchema stored = StoredSchema.created(first);
    for (TableSchema each : next) {
      stored = stored.next(each);
    }
    return stored.origins();
  }

  @Test
  void aFamilyThatStaysHasBeenThereFromTheBeginning() {
    FamilyOrigins origins = after(families("f"), families("f", "g"));
    assertThat(origins.since(F)).isEqualTo(1);
    assertThat(origins.since(G)).isEqualTo(2);
    assertThat(origins.countsIn(F, 1)).isTrue();
    assertThat(origins.countsIn(G, 1)).isFalse();
    assertThat(origins.allCountIn(1)).isFalse();
    assertThat(origins.allCountIn(2)).isTrue();
  }

  @Test
  void aFamilyThatComesBackIsAnotherOne() {
    FamilyOrigins origins = after(families("f", "g"), families("f"), families("f", "g"));
    assertThat(origins.revision()).isEqualTo(3);
    assertThat(origins.since(F)).isEqualTo(1);
    assertThat(origins.since(G)).isEqualTo(3);
  }

  @Test
  void aFamilyOfAnotherGroupIsTheSame() {
    TableSchema moved = TableSchema.of(GroupSchema.of("a", "f"), GroupSchema.of("b", "g"));
    assertThat(after(families("f", "g"), moved).allCountIn(1)).isTrue();
  }

  @Test
  void aWildcardKeepsFamiliesThatWereNamedAndAddsAllOthers() {
    FamilyOrigins origins = after(families("f", "g"), families("f"), ALL);
    assertThat(origins.since(F)).isEqualTo(1);
    assertThat(origins.since(G)).isEqualTo(3);
    assertThat(origins.since(Bytes.utf8("any"))).isEqualTo(3);
  }

  @Test
  void aFamilyOfAWildcardStaysWhenItIsNamed() {
    assertThat(after(ALL, families("f")).since(F)).isEqualTo(1);
    FamilyOrigins origins = after(ALL, families("f"), ALL, families("f", "g"));
    assertThat(origins.since(F)).isEqualTo(1);
    assertThat(origins.since(G)).isEqualTo(3);
    assertThat(after(ALL, families("f"), ALL, ALL).since(F)).isEqualTo(1);
  }
}
