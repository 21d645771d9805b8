package io.stele.replicas.partition;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.engine.Scan;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * Digests what a reader sees, piece by piece: a piece begins with the row at which it was cut.
 *
 * <pre>
 *   hash := SHA-256 of cell*
 *   cell := timestamp(8) rowLength(4) familyLength(4) qualifierLength(4) valueLength(4)
 *           row family qualifier value                                    (little-endian)
 * </pre>
 */
final class DigestWriter {
  private final List<Bytes> cuts;
  private final List<Digest> digests = new ArrayList<>();
  private final MessageDigest hash;
  private final byte[] head = new byte[24];
  private Bytes row = Bytes.EMPTY;
  private long rows;
  private long cells;

  DigestWriter(List<Bytes> cuts) {
    for (int i = 1; i < cuts.size(); i++) {
      if (cuts.get(i - 1).compareTo(cuts.get(i)) > 0) {
        throw new InvalidRequestException(
            "cut at row " + cuts.get(i) + " behind " + cuts.get(i - 1) + ": must be ascending");
      }
    }
    this.cuts = List.copyOf(cuts);
    try {
      this.hash = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** One digest more than there are cuts. */
  List<Digest> digest(Scan scan) {
    while (scan.next()) {
      CellView cell = scan.cell();
      if (cells == 0 || row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
        row = cell.row();
        while (digests.size() < cuts.size() && cuts.get(digests.size()).compareTo(row) <= 0) {
          endPiece();
        }
        rows++;
      }
      add(cell);
    }
    while (digests.size() <= cuts.size()) {
      endPiece();
    }
    return List.copyOf(digests);
  }

  private void add(CellView cell) {
    cells++;
    Binary.putLong(head, 0, cell.timestamp);
    Binary.putInt(head, 8, cell.rowLength);
    Binary.putInt(head, 12, cell.familyLength);
    Binary.putInt(head, 16, cell.qualifierLength);
    Binary.putInt(head, 20, cell.valueLength);
    hash.update(head);
    hash.update(cell.rowArray, cell.rowOffset, cell.rowLength);
    hash.update(cell.familyArray, cell.familyOffset, cell.familyLength);
    hash.update(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength);
    hash.update(cell.valueArray, cell.valueOffset, cell.valueLength);
  }

  private void endPiece() {
    digests.add(new Digest(rows, cells, Bytes.wrap(hash.digest())));
    rows = 0;
    cells = 0;
  }
}
