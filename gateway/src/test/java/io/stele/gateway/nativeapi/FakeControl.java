package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.bytes;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.base.table.TabletInfo;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.ServerReport;
import io.stele.tables.master.TabletControl;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Notes what it is told to do. */
final class FakeControl implements TabletControl {
  static final TabletInfo TABLET =
      new TabletInfo(
          "t",
          bytes("a"),
          Optional.of(bytes("m")),
          5,
          "active",
          "host:1",
          7,
          8,
          List.of(new TabletInfo.FileInfo("main", "fragments/s1/1.frag", 8, List.of("f"))));
  static final ServerReport REPORT =
      new ServerReport(
          new LiveServer("s000000000001", "host:1"),
          List.of(
              new ServerReport.TabletReport(
                  new TabletKey("t", Optional.of(bytes("m"))), bytes("a"), 5, 100, 7, 8),
              new ServerReport.TabletReport(
                  new TabletKey("t", Optional.empty()), bytes("m"), 4, 0, 0, 1)),
          Optional.of(FilePath.of("fragments/s000000000001/0000000007.frag")),
          FilePath.of("fragments/s000000000001/0000000009.frag"),
          Set.of(FilePath.of("fragments/s000000000000/0000000001.frag")),
          1234);

  final List<String> asked = new CopyOnWriteArrayList<>();
  volatile Runnable before = () -> {};
  volatile @Nullable SteleException tabletProblem; // of the second of several tablets

  private void note(String what) {
    asked.add(what);
    before.run();
  }

  private List<TabletOutcome> outcomes(List<TabletKey> tablets) {
    SteleException problem = tabletProblem;
    return tablets.stream()
        .map(
            tablet ->
                problem != null && tablet.equals(tablets.getLast())
                    ? TabletOutcome.failed(tablet, problem)
                    : TabletOutcome.done(tablet))
        .toList();
  }

  @Override
  public List<TabletOutcome> load(long token, List<TabletKey> tablets) {
    note("load " + token + " " + tablets);
    return outcomes(tablets);
  }

  @Override
  public List<TabletOutcome> unload(long token, List<TabletKey> tablets) {
    note("unload " + token + " " + tablets);
    return outcomes(tablets);
  }

  @Override
  public void join(long token, TabletKey lower) {
    note("join " + token + " " + lower);
  }

  @Override
  public Bytes split(long token, TabletKey tablet, Optional<Bytes> row) {
    note("split " + token + " " + tablet + " " + row);
    return row.orElse(bytes("chosen"));
  }

  @Override
  public void reloadSchema(long token, String table) {
    note("reloadSchema " + token + " " + table);
  }

  @Override
  public void truncate(long token, String table) {
    note("truncate " + token + " " + table);
  }

  @Override
  public List<TabletConfig> snapshot(long token, String table) {
    note("snapshot " + token + " " + table);
    return List.of(
        TabletConfig.empty(table, Bytes.EMPTY, Optional.of(Bytes.utf8("m")))
            .withFragments(
                Map.of(
                    "g",
                    List.of(
                        FragmentRef.whole(FilePath.of("fragments/1/0000000001.frag")),
                        FragmentRef.restricted(
                            FilePath.of("fragments/1/0000000002.frag"), List.of())))),
        TabletConfig.empty(table, Bytes.utf8("m"), Optional.empty()));
  }

  @Override
  public void flush(String table) {
    note("flush " + table);
  }

  @Override
  public void compact(String table) {
    note("compact " + table);
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    note("tablets " + table);
    return List.of(TABLET);
  }

  @Override
  public long applyMeta(String metaTable, CellBatch cells, long commitMaxTxn) {
    note("applyMeta " + metaTable + " " + cells.cellCount() + " " + commitMaxTxn);
    return 42;
  }

  @Override
  public ServerReport report() {
    note("report");
    return REPORT;
  }
}
