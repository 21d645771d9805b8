package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes one disk fragment from cells in ascending order. The frame is drawn in {@link
 * FragmentFormat}, the parts in {@link Block}, {@link IndexBlock}, {@link RowFilter} and {@link
 * FragmentProperties}.
 *
 * <p>The file counts for nothing until {@link #finish} has returned: whoever finds one without a
 * whole footer may delete it.
 */
public final class FragmentWriter implements AutoCloseable {
  private static final int LEAF_BYTES = 16 << 10;
  private static final int WRITE_BYTES = 512 << 10;

  private final FragmentSettings settings;
  private final WritableFile file;
  private final long fileId;
  private final ByteBuilder pending = new ByteBuilder(WRITE_BYTES + (64 << 10));
  private byte[] compressed = new byte[0];

  private final BlockBuilder block;
  private final IndexBlock.Builder leaf = new IndexBlock.Builder();
  private final IndexBlock.Builder root = new IndexBlock.Builder();
  private final RowFilter.Builder filter = new RowFilter.Builder();
  private boolean rowInFilter;
  private boolean ended;

  private final Set<Bytes> families = new TreeSet<>();
  private Bytes lastFamily = Bytes.EMPTY;
  private Bytes firstRow = Bytes.EMPTY;
  private long cells;
  private long rows;
  private long cellErasures;
  private long wideErasures;
  private long cellBytes;
  private long minTxn = Long.MAX_VALUE;
  private long maxTxn;

  /**
   * Starts a file.
   *
   * @param fileId a random number, different for every file
   */
  public FragmentWriter(FileStore files, FilePath path, FragmentSettings settings, long fileId)
      throws IOException {
    this.settings = settings;
    this.fileId = fileId;
    this.block = new BlockBuilder(settings.blockSize());
    this.file = files.create(path);
    pending.putInt(FragmentFormat.HEADER_MAGIC).putInt(FragmentFormat.VERSION).putLong(fileId);
  }

  public void add(CellView cell) throws IOException {
    boolean newRow = true;
    if (cells > 0) {
      CellView last = block.last();
      int byRow = last.compareRow(cell);
      newRow = byRow != 0;
      if (byRow > 0 || (byRow == 0 && last.compareWithinRow(cell) > 0)) {
        throw new IllegalStateException("cell " + cell + " added to a fragment behind " + last);
      }
      if (block.size() >= settings.blockSize()) {
        endBlock(last, cell, newRow);
      }
    } else {
      firstRow = cell.row();
    }
    if (newRow) {
      rows++;
    }
    if (newRow || !rowInFilter) {
      filter.add(cell.rowArray, cell.rowOffset, cell.rowLength);
      rowInFilter = true;
    }
    block.add(cell);
    note(cell);
  }

  private void note(CellView cell) {
    cells++;
    cellBytes += cell.size();
    minTxn = Math.min(minTxn, cell.txn);
    maxTxn = Math.max(maxTxn, cell.txn);
    if (cell.kind.isWide()) {
      wideErasures++;
    } else if (cell.kind == CellKind.ERASE_CELL) {
      cellErasures++;
    }
    if (cell.kind != CellKind.ERASE_ROW
        && !RequestMark.is(cell)
        && lastFamily.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) != 0) {
      lastFamily = cell.family();
      families.add(lastFamily);
    }
  }

  private void endBlock(CellView last, CellView next, boolean nextRow) throws IOException {
    CellView key = last;
    if (nextRow) {
      key = CellView.beforeRow(shortestBetween(last, next));
    }
    endBlock(key, !nextRow);
  }

  private void endBlock(CellView key, boolean midRow) throws IOException {
    long lowest = block.minTimestamp();
    long highest = block.maxTimestamp();
    boolean wide = block.hasWideErasures();
    BlockHandle handle = store(block.finish(), settings.codec());
    leaf.add(handle, lowest, highest, wide, key, midRow, BlockHandle.NONE);
    if (leaf.size() >= LEAF_BYTES) {
      endLeaf(key, midRow);
    }
    block.clear();
  }

  private void endLeaf(CellView key, boolean midRow) throws IOException {
    BlockHandle rowFilter = store(filter.finish(), Codec.NONE);
    BlockHandle handle = store(leaf.finish(), settings.codec());
    root.add(
        handle,
        leaf.minTimestamp(),
        leaf.maxTimestamp(),
        leaf.hasWideErasures(),
        key,
        midRow,
        rowFilter);
    leaf.clear();
    filter.clear();
    rowInFilter = false;
  }

  /** The shortest row that is not below the first and below the second, which is above it. */
  private static Bytes shortestBetween(CellView first, CellView second) {
    int most = Math.min(first.rowLength, second.rowLength);
    int differs = 0;
    while (differs < most
        && first.rowArray[first.rowOffset + differs]
            == second.rowArray[second.rowOffset + differs]) {
      differs++;
    }
    // The second's bytes up to the difference, and its differing byte less one, part the two if
    // that byte is still above the first's; if not, the first itself is short enough.
    if (differs < most && differs + 1 < first.rowLength) {
      int high = second.rowArray[second.rowOffset + differs] & 0xff;
      int low = first.rowArray[first.rowOffset + differs] & 0xff;
      if (low + 1 < high) {
        byte[] between = new byte[differs + 1];
        System.arraycopy(first.rowArray, first.rowOffset, between, 0, differs);
        between[differs] = (byte) (low + 1);
        return Bytes.wrap(between);
      }
    }
    return first.row();
  }

  private BlockHandle store(ByteBuilder content, Codec codec) throws IOException {
    int length = content.length();
    byte[] payload = content.array();
    int storedLength = length;
    Codec used = Codec.NONE;
    if (codec != Codec.NONE) {
      if (compressed.length < Codec.bound(length)) {
        compressed = new byte[Codec.bound(length)];
      }
      int size = codec.compress(payload, length, compressed);
      if (size < length - length / 8) {
        payload = compressed;
        storedLength = size;
        used = codec;
      }
    }
    long offset = file.length() + pending.length();
    int at = pending.reserve(storedLength + FragmentFormat.BLOCK_OVERHEAD);
    pending.put(payload, 0, storedLength).putByte(used.code());
    pending.putInt(checksumAt(at, storedLength + 1, offset));
    if (pending.length() >= WRITE_BYTES) {
      writePending();
    }
    return new BlockHandle(offset, storedLength, length);
  }

  private int checksumAt(int at, int length, long offset) {
    return FragmentFormat.checksum(pending.array(), at, length, fileId, offset);
  }

  private void writePending() throws IOException {
    file.write(pending.array(), 0, pending.length());
    pending.clear();
  }

  public long cellCount() {
    return cells;
  }

  /** Bytes written so far, nearly. */
  public long length() {
    return file.length() + pending.length() + (block.isEmpty() ? 0 : block.size());
  }

  /** Completes the file, of a store without a history, and makes it durable. */
  public FragmentProperties finish() throws IOException {
    return finish(Optional.empty());
  }

  /** Completes the file and makes it durable. There must be at least one cell. */
  public FragmentProperties finish(Optional<Garbage> garbage) throws IOException {
    if (cells == 0) {
      throw new IllegalStateException("fragment " + file.path() + " has no cells");
    }
    Bytes lastRow = block.last().row();
    long lowest =
        Math.min(block.minTimestamp(), Math.min(leaf.minTimestamp(), root.minTimestamp()));
    long highest =
        Math.max(block.maxTimestamp(), Math.max(leaf.maxTimestamp(), root.maxTimestamp()));
    CellView end = CellView.beforeRow(lastRow);
    endBlock(end, false);
    if (!leaf.isEmpty()) {
      endLeaf(end, false);
    }
    BlockHandle rootHandle = store(root.finish(), settings.codec());
    FragmentProperties properties =
        new FragmentProperties(
            cells,
            rows,
            cellErasures,
            wideErasures,
            cellBytes,
            lowest,
            highest,
            minTxn,
            maxTxn,
            firstRow,
            lastRow,
            families,
            settings.codec(),
            settings.blockSize(),
            settings.label(),
            garbage);
    BlockHandle propertiesHandle = store(properties.encode(), Codec.NONE);
    putFooter(rootHandle, propertiesHandle);
    writePending();
    file.finish();
    ended = true;
    return properties;
  }

  private void putFooter(BlockHandle rootHandle, BlockHandle propertiesHandle) {
    long offset = file.length() + pending.length();
    byte[] footer = new byte[FragmentFormat.FOOTER];
    FragmentFormat.putHandle(footer, FragmentFormat.ROOT_AT, rootHandle);
    FragmentFormat.putHandle(footer, FragmentFormat.PROPERTIES_AT, propertiesHandle);
    Binary.putInt(footer, FragmentFormat.VERSION_AT, FragmentFormat.VERSION);
    Binary.putLong(footer, FragmentFormat.FILE_ID_AT, fileId);
    int checksum = FragmentFormat.checksum(footer, 0, FragmentFormat.CHECKSUM_AT, fileId, offset);
    Binary.putInt(footer, FragmentFormat.CHECKSUM_AT, checksum);
    Binary.putLong(footer, FragmentFormat.MAGIC_AT, FragmentFormat.FOOTER_MAGIC);
    pending.put(footer, 0, footer.length);
  }

  /** Gives the file up unless it was finished; the caller deletes it. */
  @Override
  public void close() throws IOException {
    if (!ended) {
      ended = true;
      file.close();
    }
  }
}
