package io.stele.metastore.state;

/**
 * The whole state as one stream: what a member that fell far behind is sent, and what a backup is.
 * It says nothing of the group or the member that wrote it, nor of how the cells lay in files.
 *
 * <pre>
 *   checkpoint := magic "STLC"(4) version(4) term(8) index(8) revision(8) crc(4) block* trailer
 *   block      := length(4), above 0  crc(4)  cell batch(length)            (CellBatch)
 *   trailer    := 0(4) blocks(8) cells(8) crc(4)
 * </pre>
 *
 * <p>All numbers are little-endian. Each crc is the CRC32C of all bytes before it in the header, of
 * the batch in a block, and of everything before it in the trailer: a stream that ends early, or
 * has lost or gained a block, is found out before it counts.
 *
 * <p>The cells are the {@link ReadableCells}; the place in the log is in the header.
 */
final class CheckpointFormat {
  static final int MAGIC = 'S' | 'T' << 8 | 'L' << 16 | 'C' << 24;
  static final int VERSION = 1;
  static final int HEADER = 36;
  static final int TRAILER = 24;

  private CheckpointFormat() {}
}
