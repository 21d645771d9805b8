package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import java.util.List;
import java.util.Set;

/**
 * One step of a history. Snapshots and scans are named by a number that is taken modulo how many
 * are open, so that a history stays sound when steps are left out of it.
 */
public sealed interface Step {
  record Apply(List<Change> changes, boolean synced) implements Step {
    public Apply {
      changes = List.copyOf(changes);
    }
  }

  record Flush() implements Step {}

  record Compact() implements Step {}

  record Reopen() implements Step {}

  record Restrict(Set<Bytes> families) implements Step {}

  record Advance(long micros) implements Step {}

  record OpenSnapshot() implements Step {}

  record CloseSnapshot(int which) implements Step {}

  record Get(Bytes row, Bytes family, Bytes qualifier, At at) implements Step {}

  /** A scan from beginning to end, or as far as the moves go. */
  record Read(Question question, At at, List<Move> moves) implements Step {}

  /** A scan that stays open while other things happen. */
  record OpenScan(Question question, At at) implements Step {}

  record MoveScan(int which, Move move) implements Step {}

  record CloseScan(int which) implements Step {}

  /** As of when to read. */
  sealed interface At {
    record Latest() implements At {}

    record Durable() implements At {}

    /** At a snapshot; at what is durable if none is open. */
    record Snapshot(int which) implements At {}
  }

  /** A movement of a scan. */
  sealed interface Move {
    record Next(int times) implements Move {}

    record Seek(Target target) implements Move {}
  }

  /** Where a seek goes to: before a row, before a column of it, or before a version of that. */
  record Target(Bytes row, Bytes family, Bytes qualifier, long timestamp, Depth depth) {
    /** How much of the target counts. */
    public enum Depth {
      ROW,
      FAMILY,
      COLUMN,
      VERSION
    }

    /** The engine's form of it. */
    CellView toView() {
      return switch (depth) {
        case ROW -> CellView.beforeRow(row);
        case FAMILY -> CellView.beforeFamily(row, family);
        case COLUMN -> CellView.beforeColumn(row, family, qualifier);
        case VERSION -> {
          CellView view = CellView.beforeColumn(row, family, qualifier);
          view.kind = CellKind.PUT;
          view.timestamp = timestamp;
          yield view;
        }
      };
    }

    /** Is a version one that the seek passes over? */
    boolean isBehind(Version version) {
      int c = version.row().compareTo(row);
      if (c != 0 || depth == Depth.ROW) {
        return c < 0;
      }
      c = version.family().compareTo(family);
      if (c != 0 || depth == Depth.FAMILY) {
        return c < 0;
      }
      c = version.qualifier().compareTo(qualifier);
      return (c != 0 || depth == Depth.COLUMN) ? c < 0 : version.timestamp() > timestamp;
    }
  }
}
