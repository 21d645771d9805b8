package io.stele.tables.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaCellsTest {
  private static final TableSchema SCHEMA =
      TableSchema.of(
          GroupSchema.of("any", "*").withInMemory(true),
          GroupSchema.of("A", "X", "Y")
              .withPurge(PurgePolicy.parse("max-age=5 and max-history=3 or max-age=99"))
              .withCompression(Compression.ZSTD)
              .withBlockSize(65536));

  @Test
  void theCellsReadAsTheSeedWritesThem() {
    List<String> cells = new ArrayList<>();
    for (Cell cell : saved()) {
      assertThat(cell.row()).isEqualTo(MetaRows.schema("t"));
      cells.add(cell.family() + ":" + cell.qualifier() + " " + cell.value());
    }
    assertThat(cells)
        .containsExactly(
            "schema:A:blocksize 65536",
            "schema:A:columns X Y",
            "schema:A:compression zstd",
            "schema:A:in-memory false",
            "schema:A:purge max-age=5 and max-history=3 or max-age=99",
            "schema:any:blocksize 8192",
            "schema:any:columns *",
            "schema:any:compression none",
            "schema:any:in-memory true",
            "schema:any:purge none");
    assertThat(SchemaCells.load("t", saved())).isEqualTo(SCHEMA);
  }

  @Test
  void allButTheColumnsMayBeLeftOut() {
    List<Cell> cells = saved();
    cells.removeIf(cell -> !cell.qualifier().toUtf8().endsWith(":columns"));
    assertThat(SchemaCells.load("t", cells))
        .isEqualTo(TableSchema.of(GroupSchema.of("any", "*"), GroupSchema.of("A", "X", "Y")));
  }

  @ParameterizedTest
  @CsvSource({
    "A:blocksize, many, 'group \"A\", setting blocksize', '\"many\"'",
    "A:blocksize, 3, 'group \"A\", setting blocksize', must be 64 to",
    "A:purge, max-age, 'group \"A\", setting purge', max-age",
    "A:compression, lzo, 'group \"A\", setting compression', lzo",
    "any:in-memory, maybe, 'group \"any\", setting in-memory', '\"maybe\"'",
    "A:columns, ' ', 'group \"A\", setting columns', is missing",
    "A:columns, 'X *', 'group \"A\", setting columns', asterisk",
    "A:speed, 5, 'group \"A\", setting speed', is unknown",
    "B:purge, none, 'group \"B\", setting columns', is missing",
    "B:columns, Y, 'family \"Y\"', '\"A\" and \"B\"'",
    "B:columns, *, '\"B\" and \"any\"', wildcard",
    "nothing, x, 'column schema:nothing', schema:GROUP:SETTING",
  })
  void whatIsInvalidIsNamed(String qualifier, String value, String where, String what) {
    List<Cell> cells = saved();
    cells.removeIf(cell -> cell.qualifier().toUtf8().equals(qualifier));
    cells.add(
        Cell.put(
            MetaRows.schema("t"),
            Bytes.utf8("schema"),
            Bytes.utf8(qualifier),
            1,
            Bytes.utf8(value)));
    assertThatThrownBy(() -> SchemaCells.load("t", cells))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("schema of table \"t\"")
        .hasMessageContaining(where)
        .hasMessageContaining(what);
  }

  @Test
  void metaTablesTakeTheirOwnCells() {
    for (Cell cell : saved()) {
      assertThat(MetaSchema.table().groupOf(cell.family())).isPresent();
    }
    for (Cell cell : Configs.puts(Configs.tablet("a", "c"))) {
      assertThat(MetaSchema.table().groupOf(cell.family())).isPresent();
    }
  }

  private static List<Cell> saved() {
    CellBatchBuilder batch = new CellBatchBuilder();
    SchemaCells.save("t", SCHEMA, FamilyOrigins.CREATED.withRevision(4), batch);
    return Configs.puts(batch);
  }

  @Test
  void itSaysSinceWhenItHasItsFamilies() {
    FamilyOrigins origins =
        new FamilyOrigins(
            9, 3, new TreeMap<>(Map.of(Bytes.utf8("a b"), 7L, Bytes.utf8("x=y"), 1L)));
    CellBatchBuilder batch = new CellBatchBuilder();
    SchemaCells.save("t", SCHEMA, origins, batch);
    assertThat(SchemaCells.origins("t", Configs.puts(batch))).isEqualTo(origins);
    assertThat(SchemaCells.load("t", Configs.puts(batch))).isEqualTo(SCHEMA);
    assertThat(SchemaCells.origins("t", saved())) // as it was before families had origins
        .isEqualTo(FamilyOrigins.CREATED.withRevision(4));
  }

  @Test
  void whatSaysNoOriginsIsRefused() {
    for (String text : List.of("", "x", "1 f", "1 f=", "1 %=2", "1  f=2")) {
      Cell cell =
          Cell.put(
              MetaRows.schema("t"), MetaSchema.SCHEMA, Bytes.utf8(":since"), 1, Bytes.utf8(text));
      assertThatThrownBy(() -> SchemaCells.origins("t", List.of(cell)))
          .as(text)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("table \"t\", column schema::since")
          .hasMessageContaining("FAMILY=REVISION");
    }
  }

  @Test
  void replicatedTablesAreRefused() {
    assertThatThrownBy(
            () ->
                SchemaCells.save(
                    "t",
                    TableSchema.ofFamilies("f").withReplication(Replication.of(3)),
                    FamilyOrigins.CREATED,
                    new CellBatchBuilder()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("schema of table \"t\" with 3 replicas: META keeps tablet tables");
  }
}
