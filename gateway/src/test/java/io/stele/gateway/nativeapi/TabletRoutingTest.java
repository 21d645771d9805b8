package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static io.stele.testkit.table.TableFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.table.Row;
import io.stele.client.table.RowScan;
import io.stele.client.table.Table;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Operations go to the servers that have their rows, wherever the client began. */
class TabletRoutingTest {
  private final ClusterOfServers servers = new ClusterOfServers(3);
  private final Stele stele = servers.client(0, Duration.ofSeconds(10));
  // Up to g at server 0, up to p at 1, the rest at 2; then 0 and 1 again.
  private final TableFixture table = servers.create(stele, "t", "g", "p", "t", "w");

  @AfterEach
  void close() {
    servers.close();
  }

  /** Rows a to z, each of two cells. */
  private List<String> fill() {
    List<CellBatch> rows = new ArrayList<>();
    for (char row = 'a'; row <= 'z'; row++) {
      rows.add(batch(put("" + row, "f:x", 1, "1"), put("" + row, "g:y", 1, "2")));
    }
    assertThat(answer(stele.rows().applyRows("t", rows)))
        .allSatisfy(outcome -> assertThat(outcome.failure()).isEmpty());
    return IntStream.rangeClosed('a', 'z')
        .mapToObj(row -> (char) row)
        .flatMap(row -> List.of(row + "/f:x@1=1", row + "/g:y@1=2").stream())
        .toList();
  }

  @Test
  void eachOperationOnARowGoesToItsServer() {
    Table client = stele.table("t");
    List<String> rows = List.of("a", "h", "q", "v", "z");
    for (int i = 0; i < rows.size(); i++) {
      String row = rows.get(i);
      long before = servers.at(i % 3).lastTxn();
      table.apply(put(row, "f:x", 1, row));
      assertThat(table.row(row)).containsExactly(row + "/f:x@1=" + row);
      assertThat(client.increment(row, "g", "n", 5)).isEqualTo(5);
      CheckAndMutate check =
          new CheckAndMutate(
              bytes(row),
              ReadPredicate.ALL,
              Optional.empty(),
              Optional.of(batch(put(row, "f:x", 2, "met"))),
              Optional.empty());
      assertThat(client.checkAndMutate(check)).isTrue();
      assertThat(servers.at(i % 3).lastTxn()).isEqualTo(before + 3);
    }
  }

  @Test
  void whereTabletsAreIsAskedOnce() {
    fill();
    for (int i = 0; i < 200; i++) {
      assertThat(table.row("" + (char) ('a' + i % 26))).hasSize(2);
    }
    assertThat(servers.cluster.lookups()).isEqualTo(1);
  }

  @Test
  void rowsOfABatchAreAnsweredInTheirOrderWhicheverServersHaveThem() {
    List<CellBatch> rows = new ArrayList<>();
    for (int i = 0; i < 260; i++) {
      String row = (char) ('a' + i * 7 % 26) + "-" + i;
      rows.add(batch(put(row, i == 100 ? "nope:x" : "f:x", 1, "" + i)));
    }
    List<RowOutcome> outcomes = answer(stele.rows().applyRows("t", rows));
    assertThat(outcomes).hasSize(260);
    for (int i = 0; i < 260; i++) {
      assertThat(outcomes.get(i).failure().isPresent()).isEqualTo(i == 100);
    }
    assertThat(outcomes.get(100).failure().orElseThrow())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("nope");
    assertThat(table.all()).hasSize(259);
  }

  @Test
  void whatIsCommittedTogetherMustBeAtOneServer() {
    table.apply(put("a", "f:x", 1, "1"), put("u", "f:x", 1, "1")); // two tablets of server 0
    assertThatThrownBy(() -> table.apply(put("a", "f:x", 2, "2"), put("q", "f:x", 2, "2")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("row q")
        .hasMessageContaining("two servers");
    servers.move("t", "q", 0); // which the client does not know
    table.apply(put("a", "f:x", 2, "2"), put("q", "f:x", 2, "2"));
    assertThat(table.row("q")).containsExactly("q/f:x@2=2");
  }

  @Test
  void aScanGoesFromServerToServerInOrder() {
    List<String> all = fill();
    for (int pageBytes : new int[] {1, 40, 1 << 20}) {
      assertThat(table.scan(ReadPredicate.ALL, ScanOptions.DEFAULT, pageBytes)).isEqualTo(all);
    }
    assertThat(table.read(ReadPredicate.ALL)).isEqualTo(all);
  }

  @Test
  void aScanEndsAfterItsRowsWhereverThatIs() {
    List<String> all = fill();
    for (int rows = 1; rows <= 27; rows++) {
      ScanOptions options = ScanOptions.DEFAULT.withMaxRows(rows);
      List<String> first = all.subList(0, Math.min(52, rows * 2));
      assertThat(table.scan(ReadPredicate.ALL, options, 1 << 20)).isEqualTo(first);
      assertThat(table.read(ReadPredicate.ALL, options)).isEqualTo(first);
    }
    // More than are read at once, so by streams.
    ScanOptions many = ScanOptions.DEFAULT.withMaxRows(5_000);
    assertThat(table.scan(ReadPredicate.ALL, many, 30)).isEqualTo(all);
  }

  @Test
  void aScanBeginsBehindACellOfAnyServer() {
    List<String> all = fill();
    for (int i = 0; i < 26; i++) {
      ScanOptions options =
          ScanOptions.DEFAULT.withAfter(
              new ScanOptions.Position(bytes("" + (char) ('a' + i)), bytes("f"), bytes("x"), 1));
      assertThat(table.scan(ReadPredicate.ALL, options, 50))
          .isEqualTo(all.subList(2 * i + 1, all.size()));
      assertThat(table.read(ReadPredicate.ALL, options))
          .isEqualTo(all.subList(2 * i + 1, all.size()));
    }
  }

  @Test
  void aScanOfSomeRangesLeavesOutServersWithoutThem() {
    fill();
    servers
        .at(1)
        .onCall(
            operation -> {
              throw new InvalidRequestException("nothing of server 1 is wanted");
            });
    ReadPredicate rows =
        ReadPredicate.rows(
            new RowRange(bytes("b"), bytes("d")),
            RowRange.row(bytes("r")),
            new RowRange(bytes("u"), bytes("v")));
    List<String> wanted =
        List.of(
            "b/f:x@1=1",
            "b/g:y@1=2",
            "c/f:x@1=1",
            "c/g:y@1=2",
            "r/f:x@1=1",
            "r/g:y@1=2",
            "u/f:x@1=1",
            "u/g:y@1=2");
    assertThat(table.scan(rows, ScanOptions.DEFAULT, 30)).isEqualTo(wanted);
    assertThat(table.read(rows)).isEqualTo(wanted);
  }

  @Test
  void aReadOfTooMuchForOneAnswerSaysSo() {
    fill();
    CellPage page = answer(stele.rows().read("t", ReadPredicate.ALL, ScanOptions.DEFAULT, 600));
    assertThat(page.more()).isTrue();
    assertThat(texts(page)).hasSizeBetween(10, 50);
  }

  @Test
  void aTransactionIsOfOneServer() {
    fill();
    ScanOptions options = ScanOptions.DEFAULT.withAtTxn(servers.at(0).lastTxn());
    ReadPredicate here = ReadPredicate.rows(new RowRange(bytes("a"), bytes("c")));
    assertThat(table.scan(here, options, 1 << 20)).hasSize(4);
    assertThatThrownBy(() -> table.scan(ReadPredicate.ALL, options, 1 << 20))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("several servers");
    assertThatThrownBy(() -> table.read(ReadPredicate.ALL, options))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("several servers");
  }

  @Test
  void rowsAreWholeAtTheBordersOfServers() {
    fill();
    List<Row> rows = new ArrayList<>();
    try (RowScan scan = stele.table("t").scan(ReadPredicate.ALL)) {
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        rows.add(row.get());
      }
    }
    assertThat(rows).hasSize(26).allSatisfy(row -> assertThat(row.cells()).hasSize(2));
  }

  @Test
  void rangesAreDeletedAtAllTheirServers() {
    fill();
    assertThat(stele.rows().deleteRows("t", new RowRange(bytes("c"), bytes("v")))).isEqualTo(19);
    assertThat(table.all()).hasSize(14);
    assertThat(stele.rows().deleteRows("t", RowRange.ALL)).isEqualTo(7);
  }

  @Test
  void aTableIsEmptiedAtAllItsServers() {
    fill();
    stele.rows().truncate("t");
    assertThat(table.all()).isEmpty();
    table.apply(put("a", "f:x", 1, "1"));
    assertThat(table.all()).hasSize(1);
  }

  @Test
  void samplesOfAllServersAreOne() {
    fill();
    List<RowSample> samples = stele.rows().sampleRows("t");
    assertThat(samples).extracting(RowSample::offset).isSorted();
    assertThat(samples.getLast().row()).isEqualTo(Bytes.EMPTY);
    assertThat(samples.subList(0, samples.size() - 1))
        .extracting(RowSample::row)
        .isSorted()
        .doesNotHaveDuplicates();
    long bytes = 0;
    for (int i = 0; i < 3; i++) {
      bytes += servers.at(i).sampleRows("t").getLast().offset();
    }
    assertThat(samples.getLast().offset()).isEqualTo(bytes).isPositive();
  }

  @Test
  void syncAsksAllServersWithChangesThatAreNotKnownToBeDurable() {
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String name = "server " + i;
      servers.at(i).onCall(operation -> note(asked, name, operation));
    }
    for (String row : List.of("a", "h")) {
      answer(stele.rows().apply("t", batch(put(row, "f:x", 1, "1")), Tables.ANY_TXN, false));
    }
    answer(stele.rows().sync(1));
    assertThat(asked).containsExactlyInAnyOrder("server 0", "server 1");
    answer(stele.rows().sync(1)); // nothing is left, so anybody
    assertThat(asked).hasSize(3);
  }

  private static void note(List<String> asked, String name, String operation) {
    if (operation.equals("sync")) {
      synchronized (asked) {
        asked.add(name);
      }
    }
  }

  @Test
  void aTableThatDoesNotExistIsNotFoundAtOnce() {
    Tables tables = stele.rows();
    CellBatch cells = batch(put("a", "f:x", 1, "1"));
    CheckAndMutate check =
        new CheckAndMutate(
            bytes("a"), ReadPredicate.ALL, Optional.empty(), Optional.of(cells), Optional.empty());
    ReadPredicate row = ReadPredicate.rows(RowRange.row(bytes("a")));
    List<ThrowingCallable> operations =
        List.of(
            () -> answer(tables.apply("no", cells, Tables.ANY_TXN, true)),
            () -> answer(tables.applyRows("no", List.of(cells))),
            () -> answer(tables.checkAndMutate("no", check)),
            () -> answer(tables.read("no", row, ScanOptions.DEFAULT, 1000)),
            () -> answer(tables.read("no", ReadPredicate.ALL, ScanOptions.DEFAULT, 1000)),
            () -> tables.scan("no", ReadPredicate.ALL, ScanOptions.DEFAULT),
            () -> tables.deleteRows("no", RowRange.ALL),
            () -> tables.truncate("no"),
            () -> tables.sampleRows("no"));
    long begin = System.nanoTime();
    operations.forEach(
        operation ->
            assertThatThrownBy(operation)
                .isInstanceOf(NotFoundException.class)
                .hasMessageContaining("\"no\""));
    // Below the time that a single one would be tried.
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void changesKeepTheirOrderWhileTheirServerIsLookedFor() {
    List<CompletableFuture<Long>> writes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      CellBatch cells = batch(put("a", "f:x", Cell.SERVER_TIME, "" + i));
      writes.add(stele.rows().apply("t", cells, Tables.ANY_TXN, true));
    }
    assertThat(writes.stream().map(TableFixture::answer).toList()).isSorted();
  }
}
