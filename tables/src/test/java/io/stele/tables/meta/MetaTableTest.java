package io.stele.tables.meta;

import static io.stele.tables.meta.Configs.tablet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.MetaProblem.Kind;
import io.stele.base.table.Tables;
import io.stele.tables.meta.MetaTable.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MetaTableTest {
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("a", "b");
  private static final MetaVerifier VERIFIER =
      new MetaVerifier(file -> true, location -> true, (file, rows) -> true);

  private final MemoryMeta meta = new MemoryMeta();
  private final MemoryRoot root = new MemoryRoot();
  private final MetaTable table = new MetaTable(meta, root);

  @Test
  void aTableIsThereWithItsSchemaAndTabletsOrNotAtAll() {
    List<TabletConfig> tablets = List.of(tablet("", "c"), tablet("c", "m"), tablet("m", "!"));
    table.create("t", SCHEMA, tablets).join();
    assertThat(meta.applies()).as("one batch").isEqualTo(1);
    assertThat(table.tables()).containsExactly("t");
    assertThat(table.tablets("t")).isEqualTo(tablets);
    assertThat(table.schema("t").value().orElseThrow().schema()).isEqualTo(SCHEMA);
    assertThatThrownBy(() -> table.create("t", SCHEMA, tablets))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("\"t\" exists");
    table.drop("t").join();
    assertThat(table.tables()).isEmpty();
    assertThat(table.tablets("t")).isEmpty();
    assertThat(table.schema("t").value()).isEmpty();
    assertThatThrownBy(() -> table.drop("t")).isInstanceOf(NotFoundException.class);
  }

  @Test
  void aRowIsFoundByReadingOneTablet() {
    create("t", tablet("", "c"), tablet("c", "m"), tablet("m", "!"));
    create("t2");
    for (String[] each : new String[][] {{"a", "c"}, {"c", "c"}, {"c\0", "m"}, {"m", "m"}}) {
      assertThat(table.tabletOf("t", Bytes.utf8(each[0])).flatMap(TabletConfig::last))
          .contains(Bytes.utf8(each[1]));
    }
    int before = meta.cellsScanned();
    assertThat(table.tabletOf("t", Bytes.utf8("c\0"))).contains(tablet("c", "m"));
    assertThat(meta.cellsScanned() - before).as("not the whole table").isLessThan(8);
    assertThat(table.tabletOf("t", Bytes.utf8("z"))).contains(tablet("m", "!"));
    assertThat(table.tablet(tablet("c", "m").key())).contains(tablet("c", "m"));
    assertThat(table.tablet(tablet("c", "d").key())).isEmpty();
    assertThat(table.tabletOf("nothing", Bytes.utf8("z"))).isEmpty();
  }

  /** "META0 ... single, indivisible root tablet"; "META1 ... stores its config in META0". */
  @Test
  void eachTableIsDescribedOneLevelUp() {
    TabletConfig ofMeta1 = TabletConfig.empty(TableNames.META1, Bytes.EMPTY, Optional.empty());
    TabletConfig ofMeta0 = TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty());
    save(ofMeta1);
    save(ofMeta0);
    save(tablet("", "!"));
    assertThat(cells(TableNames.META0)).isEqualTo(1);
    assertThat(cells(TableNames.META1)).isEqualTo(Configs.puts(tablet("", "!")).size());
    assertThat(RootConfig.decode(root.load().orElseThrow().config())).isEqualTo(ofMeta0);
    assertThat(table.tablets(TableNames.META0)).containsExactly(ofMeta0);
    assertThat(table.tablets(TableNames.META1)).containsExactly(ofMeta1);
    assertThat(table.tabletOf(TableNames.META0, Bytes.utf8("x"))).contains(ofMeta0);
    assertThat(table.schema(TableNames.META1).value().orElseThrow().schema())
        .isEqualTo(MetaSchema.table());
    assertThatThrownBy(
            () -> table.apply(MetaLevel.META0, new Change(List.of(tablet("", "!")), List.of())))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"t\" is described in META1, not in META0");
    for (String reserved : List.of(TableNames.META0, TableNames.META1)) {
      assertThatThrownBy(() -> table.create(reserved, SCHEMA, List.of()))
          .isInstanceOf(InvalidRequestException.class);
      assertThatThrownBy(() -> table.drop(reserved)).isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void tabletsOfALevelAreFoundWhateverElseIsThere() {
    TabletConfig elsewhere = tablet("c", "m").withServer("other:1", List.of());
    create("t", tablet("", "c"), elsewhere, tablet("m", "!"));
    put("t", MetaRows.tablet("u", Optional.empty()), "log", "", "nonsense");
    List<TableRows.UnreadableRow> unreadable = new ArrayList<>();
    assertThat(table.tablets(MetaLevel.META1, unreadable::add))
        .containsExactly(tablet("", "c"), elsewhere, tablet("m", "!"));
    assertThat(unreadable)
        .extracting(TableRows.UnreadableRow::row)
        .containsExactly(MetaRows.tablet("u", Optional.empty()));
    assertThat(table.tablets(MetaLevel.META0, unreadable::add)).isEmpty();
  }

  /**
   * The rows of two tablets that are joined are on two servers. The lower row was once erased
   * first: a crash then left its rows and files to nobody.
   */
  @Test
  void aJoinThatIsCutOffLeavesNoTabletOut() {
    TabletConfig lower = tablet("", "c", "1");
    TabletConfig upper = tablet("c", "!", "2");
    create("t", lower, upper);
    meta.setApart();
    int before = meta.applies();
    meta.failWith(
        () ->
            meta.applies() > before + 1
                ? Optional.of(new OutcomeUnknownException("the server has ended"))
                : Optional.empty());
    TabletConfig joined = tablet("", "!", "1", "2").withRevision(upper.revision() + 1);
    assertThatThrownBy(
            () ->
                table.apply(
                    MetaLevel.META1,
                    new Change(List.of(joined), List.of(lower.key())),
                    (tablet, stored) -> {}))
        .isInstanceOf(OutcomeUnknownException.class);
    meta.failWith(Optional::empty);
    assertThat(table.tablets("t")).containsExactly(lower, joined);
    assertThat(table.repair("t", VERIFIER, true)).singleElement().matches(MetaProblem::repaired);
    assertThat(table.tablets("t")).containsExactly(joined);
  }

  /** "(C,a..c)→(B,a..b)+(C,b..c); same files until sync" */
  @Test
  void bothHalvesOfASplitAreWrittenTogetherAndAJoinRemovesOne() {
    create("t", tablet("", "a"), tablet("a", "c"), tablet("c", "!"));
    int before = meta.applies();
    List<TabletConfig> halves = List.of(tablet("a", "b"), tablet("b", "c"));
    table.apply(MetaLevel.META1, new Change(halves, List.of())).join();
    assertThat(meta.applies() - before).isEqualTo(1);
    assertThat(table.tablets("t"))
        .containsExactly(tablet("", "a"), tablet("a", "b"), tablet("b", "c"), tablet("c", "!"));
    assertThat(table.verify("t", VERIFIER)).isEmpty();
    table
        .apply(
            MetaLevel.META1, new Change(List.of(tablet("a", "c")), List.of(tablet("a", "b").key())))
        .join();
    assertThat(table.tablets("t"))
        .containsExactly(tablet("", "a"), tablet("a", "c"), tablet("c", "!"));
  }

  /** A tablet's row that is at the end of a META1 tablet stays there if META1 splits at it. */
  @Test
  void halvesAreInOneTabletOfMetaIfThatSplitsAtARowItHas() {
    for (String existing : List.of("a", "c")) {
      Bytes boundary = tablet("", existing).metaRow();
      boolean lower = tablet("a", "b").metaRow().compareTo(boundary) <= 0;
      boolean upper = tablet("b", "c").metaRow().compareTo(boundary) <= 0;
      assertThat(lower).as("META split at %s", existing).isEqualTo(upper);
    }
    Bytes invented = tablet("", "bb").metaRow();
    assertThat(tablet("a", "b").metaRow()).isLessThan(invented);
    assertThat(tablet("b", "c").metaRow()).isGreaterThan(invented);
  }

  @Test
  void aSaveLeavesNothingOfWhatWasThereBefore() {
    save(tablet("", "!"));
    TabletConfig bare = TabletConfig.empty("t", Bytes.EMPTY, Optional.empty());
    save(bare);
    assertThat(table.tablets("t")).containsExactly(bare);
  }

  /** "Updates to the schema columns should always be performed using row transactions". */
  @Test
  void aSchemaThatWasChangedMeanwhileIsNotOverwritten() {
    create("t");
    var seen = table.schema("t");
    TableSchema first = TableSchema.ofFamilies("first");
    table.saveSchema("t", first, seen).join();
    assertThatThrownBy(() -> table.saveSchema("t", TableSchema.ofFamilies("second"), seen).join())
        .hasCauseInstanceOf(ConflictException.class);
    assertThat(table.schema("t").value().orElseThrow())
        .isEqualTo(
            new MetaTable.StoredSchema(
                first, new FamilyOrigins(2, 1, new TreeMap<>(Map.of(Bytes.utf8("first"), 2L)))));
  }

  @Test
  void anInvalidSchemaIsAnErrorToItsReaderAndAProblemToVerify() {
    create("t", tablet("", "!"));
    put("t", MetaRows.schema("t"), "schema", "default:purge", "sometimes");
    assertThatThrownBy(() -> table.schema("t"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("sometimes");
    assertThat(kinds(table.verify("t", VERIFIER))).containsExactly(Kind.INVALID_SCHEMA);
  }

  @Test
  void damageIsReportedAndTheRestIsRead() {
    create("t", tablet("", "c"), tablet("c", "!"));
    put("t", tablet("", "c").metaRow(), "log", "", "nonsense");
    assertThatThrownBy(() -> table.tablets("t")).isInstanceOf(CorruptDataException.class);
    assertThat(kinds(table.verify("t", VERIFIER))).containsExactly(Kind.UNREADABLE);
    assertThat(table.rows("t").value().tablets()).containsExactly(tablet("c", "!"));
    table.drop("t").join();
    assertThat(table.tables()).isEmpty();
  }

  /**
   * "repair fixes ... the two one-cell cases by itself, ... and changes nothing without being
   * asked"
   */
  @Test
  void repairDoesWhatItSaysAndOnlyIfAsked() {
    create("t", tablet("", "a"), tablet("a", "b"), tablet("a", "c"), tablet("d", "!"));
    List<MetaProblem> told = table.repair("t", VERIFIER, false);
    assertThat(kinds(told)).containsExactly(Kind.OVERLAP, Kind.GAP);
    assertThat(told).noneMatch(MetaProblem::repaired).noneMatch(each -> each.repair().isEmpty());
    assertThat(table.verify("t", VERIFIER)).hasSize(2);
    assertThat(table.repair("t", VERIFIER, true)).hasSize(2).allMatch(MetaProblem::repaired);
    assertThat(table.verify("t", VERIFIER)).isEmpty();
    assertThat(table.tablets("t").stream().map(TabletConfig::first))
        .containsExactly(Bytes.EMPTY, Bytes.utf8("a"), Bytes.utf8("c"));
  }

  /** "reader retries transient hole; persistent → report" */
  @Test
  void loadingLooksAgainBeforeItReportsAHole() {
    create("t", tablet("", "a"), tablet("b", "!"));
    assertThatThrownBy(() -> table.loadable(tablet("b", "!").key()))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("no tablet before it ends with row \"b\"");
    MetaAccess healing =
        new MetaAccess() {
          private int scans;

          @Override
          public java.util.concurrent.CompletableFuture<Long> apply(
              String metaTable,
              io.stele.base.cell.CellBatch cells,
              long commitMaxTxn,
              boolean waitForSync) {
            return meta.apply(metaTable, cells, commitMaxTxn, waitForSync);
          }

          @Override
          public long scan(
              String metaTable,
              io.stele.base.predicate.ReadPredicate predicate,
              boolean latest,
              java.util.function.Predicate<Cell> each) {
            if (++scans == 3) {
              save(tablet("a", "b"));
            }
            return meta.scan(metaTable, predicate, latest, each);
          }

          @Override
          public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
            return meta.together(metaTable, rows);
          }
        };
    assertThat(new MetaTable(healing, root).loadable(tablet("b", "!").key()))
        .isEqualTo(tablet("b", "!"));
    assertThatThrownBy(() -> table.loadable(tablet("b", "q").key()))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("up to row \"q\"");
  }

  @Test
  void onlyTheLastWhoTookTheRootSavesIt() {
    TabletConfig config = TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty());
    save(config);
    MetaTable other = new MetaTable(meta, root);
    assertThat(other.tablet(config.key())).contains(config);
    TabletConfig moved = config.withServer("other:1", List.of());
    assertThatThrownBy(() -> other.apply(MetaLevel.ROOT, new Change(List.of(moved), List.of())))
        .as("reading is not taking")
        .isInstanceOf(ConflictException.class);
    assertThat(other.loadable(config.key())).isEqualTo(config);
    other.apply(MetaLevel.ROOT, new Change(List.of(moved), List.of())).join();
    assertThat(table.tablets(TableNames.META0)).containsExactly(moved);
    assertThatThrownBy(() -> save(config)).isInstanceOf(ConflictException.class);
  }

  @Test
  void aRootWhoseSaveWasNotAnsweredCanBeSavedAgain() {
    TabletConfig config = TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty());
    root.losesAnswer = true;
    assertThatThrownBy(() -> save(config)).isInstanceOf(OutcomeUnknownException.class);
    TabletConfig next = config.withServer("server:1", List.of());
    save(next);
    assertThat(table.tablets(TableNames.META0)).containsExactly(next);
    assertThat(table.verify(TableNames.META0, VERIFIER)).isEmpty();
  }

  @Test
  void aFailedCommitIsPassedOn() {
    meta.failWith(() -> Optional.of(new UnavailableException("no disk")));
    assertThat(table.create("t", SCHEMA, List.of(tablet("", "!"))))
        .failsWithin(java.time.Duration.ofSeconds(1));
    meta.failWith(Optional::empty);
    create("t", tablet("", "a"), tablet("b", "!"));
    meta.failWith(() -> Optional.of(new UnavailableException("no disk")));
    assertThatThrownBy(() -> table.repair("t", VERIFIER, true))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void tablesWhoseNamesBeginAlikeAreToldApart() {
    for (String name : List.of("a", "a#b", "a!", "ab")) {
      table
          .create(
              name,
              TableSchema.of(GroupSchema.of("g", name)),
              List.of(TabletConfig.empty(name, Bytes.EMPTY, Optional.empty())))
          .join();
    }
    assertThat(table.tables()).containsExactly("a", "a!", "a#b", "ab");
    for (String name : table.tables()) {
      assertThat(table.tablets(name)).singleElement().extracting("table").isEqualTo(name);
    }
  }

  private void create(String name, TabletConfig... tablets) {
    table.create(name, SCHEMA, List.of(tablets)).join();
  }

  private void save(TabletConfig config) {
    table.apply(MetaLevel.of(config.table()), new Change(List.of(config), List.of())).join();
  }

  private void put(String name, Bytes row, String family, String qualifier, String value) {
    meta.apply(
            MetaLevel.of(name).table(),
            new CellBatchBuilder()
                .put(row, Bytes.utf8(family), Bytes.utf8(qualifier), 100, Bytes.utf8(value))
                .build(),
            Tables.ANY_TXN,
            true)
        .join();
  }

  private int cells(String metaTable) {
    List<Cell> all = new ArrayList<>();
    meta.scan(metaTable, io.stele.base.predicate.ReadPredicate.ALL, all::add);
    return all.size();
  }

  private static List<Kind> kinds(List<MetaProblem> problems) {
    return problems.stream().map(MetaProblem::kind).toList();
  }
}
