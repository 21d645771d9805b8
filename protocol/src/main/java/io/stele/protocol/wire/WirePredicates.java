package io.stele.protocol.wire;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.predicate.TimeRange;
import io.stele.base.table.ScanOptions;
import io.stele.protocol.v1.CellPosition;
import io.stele.protocol.v1.TableColumn;
import io.stele.protocol.v1.TableColumnRange;
import io.stele.protocol.v1.TablePredicate;
import io.stele.protocol.v1.TableRowRange;
import io.stele.protocol.v1.TableScanOptions;
import io.stele.protocol.v1.TableTimeRange;
import java.util.List;
import java.util.Optional;

/** What is to be read, on the wire. What usually is not said is left out. */
public final class WirePredicates {
  private static final List<RowRange> ALL_ROWS = List.of(RowRange.ALL);
  private static final List<TimeRange> ALL_TIMES = List.of(TimeRange.ALL);

  private WirePredicates() {}

  public static TablePredicate toWire(ReadPredicate predicate) {
    TablePredicate.Builder wire = TablePredicate.newBuilder();
    if (!predicate.rows().equals(ALL_ROWS)) {
      predicate.rows().forEach(range -> wire.addRows(toWire(range)));
    }
    for (ColumnRange range : predicate.columns()) {
      TableColumnRange.Builder columns =
          TableColumnRange.newBuilder().setFrom(toWire(range.from()));
      if (range.to() != null) {
        columns.setTo(toWire(range.to()));
      }
      wire.addColumns(columns);
    }
    if (!predicate.times().equals(ALL_TIMES)) {
      for (TimeRange range : predicate.times()) {
        wire.addTimes(TableTimeRange.newBuilder().setFrom(range.from()).setTo(range.to()));
      }
    }
    int history = predicate.history();
    return wire.setHistory(history == ReadPredicate.ALL_VERSIONS ? 0 : history).build();
  }

  public static ReadPredicate predicate(TablePredicate wire) {
    return new ReadPredicate(
        wire.getRowsCount() == 0
            ? ALL_ROWS
            : wire.getRowsList().stream().map(WirePredicates::rows).toList(),
        wire.getColumnsList().stream().map(WirePredicates::columns).toList(),
        wire.getTimesCount() == 0
            ? ALL_TIMES
            : wire.getTimesList().stream()
                .map(range -> new TimeRange(range.getFrom(), range.getTo()))
                .toList(),
        wire.getHistory() == 0 ? ReadPredicate.ALL_VERSIONS : wire.getHistory());
  }

  public static TableRowRange toWire(RowRange range) {
    TableRowRange.Builder wire = TableRowRange.newBuilder().setFrom(WireCells.toWire(range.from()));
    Bytes to = range.to();
    if (to != null) {
      wire.setTo(WireCells.toWire(to));
    }
    return wire.build();
  }

  public static RowRange rows(TableRowRange wire) {
    return new RowRange(
        WireCells.bytes(wire.getFrom()), wire.hasTo() ? WireCells.bytes(wire.getTo()) : null);
  }

  private static TableColumn toWire(Column column) {
    return TableColumn.newBuilder()
        .setFamily(WireCells.toWire(column.family()))
        .setQualifier(WireCells.toWire(column.qualifier()))
        .build();
  }

  private static ColumnRange columns(TableColumnRange wire) {
    return new ColumnRange(column(wire.getFrom()), wire.hasTo() ? column(wire.getTo()) : null);
  }

  private static Column column(TableColumn wire) {
    return new Column(WireCells.bytes(wire.getFamily()), WireCells.bytes(wire.getQualifier()));
  }

  public static TableScanOptions toWire(ScanOptions options) {
    TableScanOptions.Builder wire =
        TableScanOptions.newBuilder()
            .setLatest(options.latest())
            .setAtTxn(options.atTxn())
            .setMaxRows(options.maxRows());
    options
        .after()
        .ifPresent(
            position ->
                wire.setAfter(
                    CellPosition.newBuilder()
                        .setRow(WireCells.toWire(position.row()))
                        .setFamily(WireCells.toWire(position.family()))
                        .setQualifier(WireCells.toWire(position.qualifier()))
                        .setTimestamp(position.timestamp())));
    return wire.build();
  }

  public static ScanOptions options(TableScanOptions wire) {
    return new ScanOptions(
        wire.getLatest(),
        wire.getAtTxn(),
        wire.hasAfter() ? Optional.of(position(wire.getAfter())) : Optional.empty(),
        wire.getMaxRows());
  }

  private static ScanOptions.Position position(CellPosition wire) {
    return new ScanOptions.Position(
        WireCells.bytes(wire.getRow()),
        WireCells.bytes(wire.getFamily()),
        WireCells.bytes(wire.getQualifier()),
        wire.getTimestamp());
  }
}
