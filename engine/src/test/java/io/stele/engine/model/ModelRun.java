package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.RowRange;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A history on the model: snapshots are transactions, scans are lists. */
public final class ModelRun extends Run<Long, ModelRun.ListScan> {
  /** All that a scan will find, found at its beginning. */
  static final class ListScan {
    private final List<Version> versions;
    private int at = -1;

    private ListScan(List<Version> versions) {
      this.versions = versions;
    }
  }

  private final ManualClock clock = new ManualClock();
  private final ModelTable table;

  private ModelRun(History history) {
    this.table = new ModelTable(history.purge());
  }

  public static List<String> answers(History history) {
    return new ModelRun(history).play(history.steps());
  }

  @Override
  long apply(List<Change> changes, boolean synced) {
    return table.commit(changes);
  }

  @Override
  void flush() {}

  @Override
  void compact() {}

  @Override
  void reopen() {}

  @Override
  void restrict(Set<Bytes> families) {
    table.restrict(families);
  }

  @Override
  void advance(long micros) {
    clock.advance(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)));
  }

  @Override
  Long openSnapshot() {
    return table.txn();
  }

  @Override
  void closeSnapshot(Long snapshot) {}

  @Override
  Long latest() {
    return table.txn();
  }

  @Override
  Long durable() {
    return table.txn();
  }

  @Override
  Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier, Long at) {
    Question newest =
        new Question(
            List.of(RowRange.row(row)),
            List.of(ColumnRange.column(family, qualifier)),
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            1);
    return table.read(newest, at, clock.micros()).stream().findFirst().map(Version::value);
  }

  @Override
  ListScan openScan(Question question, Long at) {
    return new ListScan(table.read(question, at, clock.micros()));
  }

  @Override
  Optional<Version> next(ListScan scan) {
    scan.at = Math.min(scan.at + 1, scan.versions.size());
    return current(scan);
  }

  @Override
  Optional<Version> seek(ListScan scan, Step.Target target) {
    scan.at = 0;
    while (scan.at < scan.versions.size() && target.isBehind(scan.versions.get(scan.at))) {
      scan.at++;
    }
    return current(scan);
  }

  private static Optional<Version> current(ListScan scan) {
    return scan.at < scan.versions.size()
        ? Optional.of(scan.versions.get(scan.at))
        : Optional.empty();
  }

  @Override
  void closeScan(ListScan scan) {}
}
