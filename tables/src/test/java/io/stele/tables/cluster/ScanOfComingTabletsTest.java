package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.TabletKey;
import io.stele.testkit.table.TableFixture;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Servers count transactions each for itself, and a tablet that comes has newer ones than a scan
 * that began before: the scan is told so, and does not take the tablet for an empty one.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class ScanOfComingTabletsTest {
  private final SmallCluster cluster = new SmallCluster();
  private final Node busy = cluster.start("a:1");
  private final Node calm = cluster.start("b:1"); // its transactions are far behind
  private final TabletKey lower;
  private final TabletKey upper;

  ScanOfComingTabletsTest() {
    cluster.bootstrap(busy);
    cluster.create("t", TableSchema.ofFamilies("f"), "m");
    List<TabletKey> keys = cluster.keys("t");
    lower = keys.getFirst();
    upper = keys.getLast();
    cluster.load(calm, List.of(lower));
    cluster.load(busy, List.of(upper));
    write(calm, "a");
    for (int i = 0; i < 50; i++) {
      write(busy, "n");
    }
    write(busy, "z");
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private static void write(Node node, String row) {
    node.table("t").apply(put(row, "f:", 1, "of " + row));
  }

  private TableScan scan(ScanOptions options) {
    return calm.server().scan("t", ReadPredicate.ALL, options);
  }

  private static List<String> rows(CellPage page) {
    return TableFixture.cells(page).stream().map(cell -> cell.row().toUtf8()).toList();
  }

  private void come() {
    cluster.move(busy, calm, List.of(upper));
  }

  @Test
  void aScanThatBeganBeforeATabletCameDoesNotSkipIt() {
    try (TableScan scan = scan(ScanOptions.DEFAULT)) {
      assertThat(rows(scan.next(1))).containsExactly("a");
      come();
      assertThatThrownBy(() -> scan.next(1 << 20))
          .isInstanceOf(NotServingException.class)
          .hasMessageContaining("\"t\"")
          .hasMessageContaining("came here after transaction " + scan.txn());
    }
    try (TableScan anew = scan(ScanOptions.DEFAULT)) {
      assertThat(rows(anew.next(1 << 20))).containsExactly("a", "n", "z");
    }
  }

  @Test
  void itsTransactionIsNotTakenUpAgain() {
    try (TableScan scan = scan(ScanOptions.DEFAULT)) {
      ScanOptions again = ScanOptions.DEFAULT.withAtTxn(scan.txn());
      come();
      assertThatThrownBy(() -> scan(again).close())
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("\"t\"")
          .hasMessageContaining(Long.toString(scan.txn()));
      ReadPredicate known = ReadPredicate.rows(new RowRange(Bytes.EMPTY, Bytes.utf8("m")));
      try (TableScan lowerHalf = calm.server().scan("t", known, again)) {
        assertThat(rows(lowerHalf.next(1 << 20))).containsExactly("a");
      }
    }
  }

  @Test
  void bothHalvesOfATabletThatCameCameToo() {
    ReadPredicate lowerHalf = ReadPredicate.rows(new RowRange(Bytes.utf8("n"), Bytes.utf8("o")));
    ReadPredicate upperHalf = ReadPredicate.rows(new RowRange(Bytes.utf8("y"), null));
    try (TableScan first = calm.server().scan("t", lowerHalf, ScanOptions.DEFAULT);
        TableScan second = calm.server().scan("t", upperHalf, ScanOptions.DEFAULT)) {
      come();
      calm.server().split("t", Bytes.utf8("n"), Bytes.utf8("p"));
      assertThatThrownBy(() -> first.next(1 << 20)).isInstanceOf(NotServingException.class);
      assertThatThrownBy(() -> second.next(1 << 20)).isInstanceOf(NotServingException.class);
    }
  }

  @Test
  void aTabletThatWentAndCameBackIsNotReadAsItWasNorJoinedWithAnother() {
    come();
    try (TableScan first = scan(ScanOptions.DEFAULT);
        TableScan second = scan(ScanOptions.DEFAULT)) {
      cluster.move(calm, busy, List.of(lower));
      write(busy, "b");
      cluster.move(busy, calm, List.of(lower));
      assertThatThrownBy(() -> first.next(1 << 20)).isInstanceOf(NotServingException.class);
      calm.server().flush("t");
      calm.server().join("t", Bytes.utf8("a"));
      assertThatThrownBy(() -> second.next(1 << 20)).isInstanceOf(NotServingException.class);
    }
    assertThat(cluster.all("t")).hasSize(4);
  }
}
