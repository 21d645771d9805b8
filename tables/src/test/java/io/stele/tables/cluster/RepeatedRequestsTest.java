package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.Column;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.tables.cluster.SmallCluster.Node;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Requests whose answers were lost, and that clients send again: to the same server, to the one
 * that has the tablet by then, and after crashes.
 */
class RepeatedRequestsTest {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes ROW = Bytes.utf8("row");

  private final SmallCluster cluster = new SmallCluster();
  private Node first;
  private int ids;

  @BeforeEach
  void begin() {
    first = cluster.start("a:1");
    cluster.bootstrap(first);
    cluster.create("t", TableSchema.ofFamilies("f"));
    cluster.load(first, cluster.keys("t"));
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private RequestMark mark() {
    return new RequestMark(Bytes.utf8("request " + ++ids), 60);
  }

  private static CellBatch batch(RequestMark mark, Cell... cells) {
    CellBatchBuilder batch = new CellBatchBuilder();
    List.of(cells).forEach(batch::add);
    return mark.mark(batch.build(), Bytes.EMPTY);
  }

  private static long apply(Node node, CellBatch batch) {
    byte[] sent = batch.toArray(); // as it comes over the network each time
    return node.server().apply("t", CellBatch.parse(sent), Tables.ANY_TXN, true).join();
  }

  private static List<RowRule> increment(RequestMark mark) {
    return List.of(new RowRule.Increment(FAMILY, FAMILY, 1), new RowRule.Once(mark));
  }

  private static CellPage increment(Node node, RequestMark mark) {
    return node.server().readModifyWrite("t", ROW, increment(mark)).join();
  }

  private static Bytes value(CellPage page) {
    CellBatch.Reader cells = page.cells().orElseThrow().read();
    assertThat(cells.next()).isTrue();
    Bytes value = cells.cell().value();
    assertThat(cells.next()).as("more than the cell that was written").isFalse();
    return value;
  }

  /** Sends requests, lets something happen, sends them again, and checks that nothing changed. */
  private void checkOnce(BiFunction<SmallCluster, Node, Node> between) {
    RequestMark add = mark();
    RequestMark create = mark();
    CellBatch put =
        mark().markFirst(new CellBatchBuilder().add(put("deleted", "f:", 5, "old")).build());
    CheckAndMutate check =
        new CheckAndMutate(
                Bytes.utf8("absent"),
                ReadPredicate.ALL,
                Optional.empty(),
                Optional.empty(),
                Optional.of(new CellBatchBuilder().add(put("absent", "f:", 1, "made")).build()))
            .once(create);
    CellPage added = increment(first, add);
    long putTxn = apply(first, put);
    first.table("t").apply(Cell.eraseRow(Bytes.utf8("deleted")));
    CheckOutcome checked = first.server().checkAndMutate("t", check).join();
    assertThat(checked.met()).isFalse();
    Node owner = between.apply(cluster, first);
    List<String> before = cluster.all("t");
    assertThat(before).hasSize(2).noneMatch(cell -> cell.contains("old"));

    CellPage again = increment(owner, add);
    assertThat(value(again)).isEqualTo(value(added));
    assertThat(again.txn()).isEqualTo(added.txn());
    assertThat(apply(owner, RequestMark.again(put))).isEqualTo(putTxn);
    assertThat(owner.server().checkAndMutate("t", check).join()).isEqualTo(checked);
    assertThat(cluster.all("t")).isEqualTo(before);

    assertThat(value(increment(owner, mark()))).as("another request").isNotEqualTo(value(added));
  }

  /** Its server dies, and another one takes over everything. */
  private static Node afterCrash(SmallCluster all, Node node) {
    node.kill();
    Node second = all.start("b:1");
    for (String table : List.of("META0", "META1", "t")) {
      all.loadAgain(second, all.keys(table));
    }
    return second;
  }

  @Test
  void theSameServerRecognizesThem() {
    checkOnce((_, node) -> node);
  }

  @Test
  void theServerThatTheTabletWasMovedToRecognizesThem() {
    checkOnce(
        (all, node) -> {
          Node second = all.start("b:1");
          all.move(node, second, all.keys("t"));
          return second;
        });
  }

  @Test
  void theServerThatReplaysTheLogRecognizesThem() {
    checkOnce(RepeatedRequestsTest::afterCrash);
  }

  @Test
  void flushesAndCompactionsKeepThemThoughTheRowWasErased() {
    checkOnce(
        (all, node) -> {
          node.server().flush("t");
          node.server().compact("t");
          return afterCrash(all, node);
        });
  }

  @Test
  void bothHalvesOfASplitRecognizeThem() {
    checkOnce(
        (all, node) -> {
          node.server().split("t", Bytes.utf8("b"), Bytes.utf8("b"));
          Node second = all.start("b:1");
          all.move(node, second, all.keys("t"));
          return second;
        });
  }

  @Test
  void aChangeOfGroupsKeepsThem() {
    checkOnce(
        (all, node) -> {
          node.server().flush("t");
          TableSchema parted =
              TableSchema.of(GroupSchema.of("a", "g"), GroupSchema.of("b", "f", "h"));
          all.meta().saveSchema("t", parted, all.meta().schema("t")).join();
          node.server().reloadSchema("t");
          node.server().compact("t");
          return afterCrash(all, node);
        });
  }

  @Test
  void twoThatAreUnderWayAtOnceAreOne() {
    RequestMark mark = mark();
    CellBatch batch = batch(mark, put("row", "f:", 1, "value"));
    var one = first.server().apply("t", CellBatch.parse(batch.toArray()), Tables.ANY_TXN, true);
    var two = first.server().apply("t", CellBatch.parse(batch.toArray()), Tables.ANY_TXN, true);
    assertThat(one.join()).isEqualTo(two.join());
  }

  @Test
  void marksAreNotRead() {
    for (int i = 0; i < 50; i++) {
      apply(first, batch(mark(), put("row", "f:", 1, "value")));
    }
    assertThat(first.table("t").all()).hasSize(1);
    ReadPredicate wide =
        ReadPredicate.ALL.withColumns(new ColumnRange(new Column(Bytes.EMPTY, Bytes.EMPTY), null));
    assertThat(first.table("t").scan(wide, ScanOptions.DEFAULT, 1 << 20)).hasSize(1);
  }

  @Test
  void aMarkThatCannotBeRightIsRefused() {
    CellBatch early =
        new CellBatchBuilder()
            .put(ROW, RequestMark.FAMILY, Bytes.utf8("12345678"), 1, Bytes.utf8("\0\u0001"))
            .build();
    assertThatThrownBy(() -> apply(first, early))
        .hasRootCauseInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("server's time");
    CellBatch two =
        new CellBatchBuilder()
            .add(mark().cell(ROW, Bytes.EMPTY))
            .add(mark().cell(ROW, Bytes.EMPTY))
            .build();
    assertThatThrownBy(() -> apply(first, two))
        .hasRootCauseInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("one at most");
    assertThatThrownBy(() -> new RequestMark(Bytes.utf8("short"), 1))
        .isInstanceOf(InvalidRequestException.class);
  }
}
