package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.predicate.RowRange;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.cache.CachePriority;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An open disk fragment. Its properties and the root of its index are in memory; leaves, filters
 * and data blocks come through the block cache. Every block is checked against its checksum when it
 * is read from the file, and a mismatch is an error that names the place: nothing is skipped.
 */
public final class DiskFragment implements Fragment, AutoCloseable {
  private static final int LEAVES_OF_SMALL = 16;

  private final FilePath path;
  private final ReadableFile file;
  private final BlockCache cache;
  private final BlockCache.FileKey cacheKey;
  private final long fileId;
  private final FragmentProperties properties;
  private final IndexBlock root;
  private final Consumer<SteleException> troubles;
  private volatile CachePriority priority = CachePriority.ON_DEMAND;

  private DiskFragment(
      FileStore files, FilePath path, BlockCache cache, Consumer<SteleException> troubles)
      throws IOException {
    this.path = path;
    this.cache = cache;
    this.troubles = troubles;
    this.file = files.open(path);
    this.cacheKey = cache.register();
    try {
      long end = file.length() - FragmentFormat.FOOTER;
      byte[] footer = readFooter(end);
      fileId = Binary.getLong(footer, FragmentFormat.FILE_ID_AT);
      checkHeader();
      BlockHandle rootHandle = FragmentFormat.getHandle(footer, FragmentFormat.ROOT_AT);
      root = new IndexBlock(content(rootHandle), rootHandle.length());
      properties = readProperties(FragmentFormat.getHandle(footer, FragmentFormat.PROPERTIES_AT));
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Opens a fragment.
   *
   * @throws CorruptDataException if it is not a whole fragment of a known version
   */
  public static DiskFragment open(FileStore files, FilePath path, BlockCache cache)
      throws IOException {
    return open(files, path, cache, _ -> {});
  }

  /**
   * Opens a fragment.
   *
   * @param troubles gets every failed read of an open fragment, and all that is found to be damaged
   * @throws CorruptDataException if it is not a whole fragment of a known version
   */
  public static DiskFragment open(
      FileStore files, FilePath path, BlockCache cache, Consumer<SteleException> troubles)
      throws IOException {
    return new DiskFragment(files, path, cache, troubles);
  }

  public FilePath path() {
    return path;
  }

  public FragmentProperties properties() {
    return properties;
  }

  /**
   * How its blocks are kept from now on, those that are cached already included; the three
   * in-memory priorities are worth a preload.
   */
  public void setPriority(CachePriority newPriority) {
    CachePriority before = priority;
    priority = newPriority;
    if (before != newPriority) {
      cache.move(cacheKey, newPriority);
    }
  }

  public CachePriority priority() {
    return priority;
  }

  @Override
  public CellCursor cursor(TimeBounds bounds) {
    return new FragmentCursor(this, bounds);
  }

  @Override
  public Optional<CellCursor> rowCursor(CellView from) {
    // An erasure stands at the row's start, which may lie in an earlier leaf than the wanted
    // column.
    CellView row = mayHoldWideErasures() ? CellView.beforeRow(from.row()) : from;
    if (properties.firstRow().compareTo(row.rowArray, row.rowOffset, row.rowLength) > 0
        || properties.lastRow().compareTo(row.rowArray, row.rowOffset, row.rowLength) < 0) {
      return Optional.empty();
    }
    FragmentCursor cursor = new FragmentCursor(this, TimeBounds.ALL);
    return cursor.mayHoldRow(row) ? Optional.of(cursor) : Optional.empty();
  }

  @Override
  public boolean mayHoldWideErasures() {
    return properties.wideErasures() > 0;
  }

  @Override
  public Set<Bytes> families() {
    return properties.families();
  }

  @Override
  public long minTxn() {
    return properties.minTxn();
  }

  @Override
  public long maxTxn() {
    return properties.maxTxn();
  }

  @Override
  public long minTimestamp() {
    return properties.minTimestamp();
  }

  @Override
  public long maxTimestamp() {
    return properties.maxTimestamp();
  }

  @Override
  public long bytes() {
    return file.length();
  }

  IndexBlock root() {
    return root;
  }

  /** The leaf of an entry of the root, with its filter. */
  IndexLeaf leaf(IndexBlock.Entry entry) {
    BlockHandle handle = entry.handle();
    BlockHandle filter = entry.filter();
    return (IndexLeaf)
        cache.get(
            cacheKey,
            handle.offset(),
            priority,
            () ->
                new IndexLeaf(
                    new IndexBlock(load(handle), handle.length()),
                    new RowFilter(load(filter), filter.length())));
  }

  Block block(BlockHandle handle) {
    return (Block)
        cache.get(
            cacheKey, handle.offset(), priority, () -> new Block(load(handle), handle.length()));
  }

  /** Reads every block into the cache, as far as it has room for this fragment's priority. */
  public void preload() {
    forEachBlock(this::block);
  }

  /**
   * Told of a piece of a file: its rows are at or below a row, and above that of the piece before.
   */
  public interface PieceConsumer {
    void piece(Bytes upTo, long bytes);
  }

  /**
   * Parts the file into pieces, each of some blocks, from the first that can hold a row of the
   * range to the last; the rows that part them need not exist. A small file is parted by its
   * blocks, a large one by the leaves of its index, so that little is read.
   */
  public void pieces(RowRange rows, PieceConsumer consumer) {
    boolean large = root.count > LEAVES_OF_SMALL;
    IndexBlock.Entry entry = new IndexBlock.Entry();
    long pieceStart = 0;
    for (int i = 0; i < root.count; i++) {
      entry.read(root, i);
      long leafEnd = entry.offset + entry.storedLength;
      Bytes upTo = Bytes.copyOf(root.bytes, entry.rowOffset, entry.rowLength);
      if (upTo.compareTo(rows.from()) >= 0) {
        if (large) {
          consumer.piece(upTo, leafEnd - pieceStart);
        } else {
          leafPieces(leaf(entry).index(), rows, consumer);
        }
      }
      if (rows.to() != null && upTo.compareTo(rows.to()) >= 0) {
        return;
      }
      pieceStart = leafEnd;
    }
  }

  private static void leafPieces(IndexBlock leaf, RowRange rows, PieceConsumer consumer) {
    IndexBlock.Entry entry = new IndexBlock.Entry();
    for (int k = 0; k < leaf.count; k++) {
      entry.read(leaf, k);
      Bytes upTo = Bytes.copyOf(leaf.bytes, entry.rowOffset, entry.rowLength);
      if (upTo.compareTo(rows.from()) >= 0) {
        consumer.piece(upTo, entry.storedLength);
      }
      if (rows.to() != null && upTo.compareTo(rows.to()) >= 0) {
        return;
      }
    }
  }

  /** About how many bytes of the file are of the rows. */
  public long bytesIn(RowRange rows) {
    if (rows.contains(properties.firstRow()) && rows.contains(properties.lastRow())) {
      return bytes();
    }
    if (rows.intersect(new RowRange(properties.firstRow(), properties.lastRow().successor()))
        .isEmpty()) {
      return 0;
    }
    long[] sum = {0};
    pieces(rows, (_, bytes) -> sum[0] += bytes);
    return sum[0];
  }

  /** Reads the whole file past the cache and checks every byte of it. */
  public void verify() {
    try {
      byte[] footer = readFooter(file.length() - FragmentFormat.FOOTER);
      checkHeader();
      content(FragmentFormat.getHandle(footer, FragmentFormat.ROOT_AT));
      content(FragmentFormat.getHandle(footer, FragmentFormat.PROPERTIES_AT));
    } catch (IOException e) {
      throw unreadable(e);
    }
    IndexBlock.Entry entry = new IndexBlock.Entry();
    for (int i = 0; i < root.count; i++) {
      entry.read(root, i);
      load(entry.filter());
      load(entry.handle());
    }
    forEachBlock(this::load);
  }

  private void forEachBlock(Consumer<BlockHandle> action) {
    IndexBlock.Entry entry = new IndexBlock.Entry();
    for (int i = 0; i < root.count; i++) {
      entry.read(root, i);
      IndexBlock leaf = leaf(entry).index();
      for (int k = 0; k < leaf.count; k++) {
        entry.read(leaf, k);
        action.accept(entry.handle());
      }
    }
  }

  /** Ends reading; its blocks leave the cache. No cursor may be in use any more. */
  @Override
  public void close() {
    cache.drop(cacheKey);
    try {
      file.close();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private byte[] load(BlockHandle handle) {
    try {
      return content(handle);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** A block's content, decompressed; the array may be longer than the content. */
  private byte[] content(BlockHandle handle) throws IOException {
    int stored = handle.storedLength();
    if (handle.offset() < FragmentFormat.HEADER
        || stored <= 0
        || handle.length() <= 0
        || handle.offset() + stored + FragmentFormat.BLOCK_OVERHEAD > file.length()) {
      throw corrupt(handle.offset(), "a block inside the file", handle.toString());
    }
    byte[] bytes = new byte[stored + FragmentFormat.BLOCK_OVERHEAD];
    read(handle.offset(), bytes);
    int expected = Binary.getInt(bytes, stored + 1);
    int found = FragmentFormat.checksum(bytes, 0, stored + 1, fileId, handle.offset());
    if (expected != found) {
      throw corrupt(handle.offset(), "checksum " + hex(expected), hex(found));
    }
    try {
      Codec codec =
          Codec.ofCode(bytes[stored])
              .orElseThrow(() -> new IOException("unknown codec " + bytes[stored]));
      if (codec == Codec.NONE) {
        return bytes;
      }
      byte[] content = new byte[handle.length()];
      codec.decompress(bytes, stored, content, content.length);
      return content;
    } catch (IOException e) {
      throw corrupt(handle.offset(), "a block of " + handle.length() + " bytes", e.toString());
    }
  }

  private byte[] readFooter(long at) throws IOException {
    if (at < FragmentFormat.HEADER) {
      throw corrupt(0, "a fragment", "a file of " + file.length() + " bytes");
    }
    byte[] footer = new byte[FragmentFormat.FOOTER];
    read(at, footer);
    long magic = Binary.getLong(footer, FragmentFormat.MAGIC_AT);
    if (magic != FragmentFormat.FOOTER_MAGIC) {
      throw corrupt(
          at + FragmentFormat.MAGIC_AT, "the magic STELEFRG", "0x" + Long.toHexString(magic));
    }
    int expected = Binary.getInt(footer, FragmentFormat.CHECKSUM_AT);
    int found =
        FragmentFormat.checksum(
            footer,
            0,
            FragmentFormat.CHECKSUM_AT,
            Binary.getLong(footer, FragmentFormat.FILE_ID_AT),
            at);
    if (expected != found) {
      throw corrupt(at, "footer checksum " + hex(expected), hex(found));
    }
    int version = Binary.getInt(footer, FragmentFormat.VERSION_AT);
    if (version != FragmentFormat.VERSION) {
      throw corrupt(
          at + FragmentFormat.VERSION_AT, "format version " + FragmentFormat.VERSION, "" + version);
    }
    return footer;
  }

  private void checkHeader() throws IOException {
    byte[] header = new byte[FragmentFormat.HEADER];
    read(0, header);
    byte[] wanted = new byte[FragmentFormat.HEADER];
    Binary.putInt(wanted, 0, FragmentFormat.HEADER_MAGIC);
    Binary.putInt(wanted, 4, FragmentFormat.VERSION);
    Binary.putLong(wanted, 8, fileId);
    if (!Arrays.equals(header, wanted)) {
      throw corrupt(0, "the header " + Bytes.wrap(wanted), Bytes.wrap(header).toString());
    }
  }

  private FragmentProperties readProperties(BlockHandle handle) throws IOException {
    try {
      return FragmentProperties.decode(content(handle), handle.length());
    } catch (Malformed e) {
      throw corrupt(handle.offset(), "fragment properties", e.problem());
    }
  }

  private void read(long position, byte[] target) throws IOException {
    try {
      file.read(position, target, 0, target.length);
    } catch (EOFException e) {
      throw corrupt(position, target.length + " bytes", "the end of the file");
    }
  }

  private CorruptDataException corrupt(long offset, String expected, String found) {
    CorruptDataException problem =
        new CorruptDataException(path.toString(), offset, expected, found);
    troubles.accept(problem);
    return problem;
  }

  private UnavailableException unreadable(IOException cause) {
    UnavailableException problem =
        new UnavailableException("fragment " + path + " cannot be read: " + cause, cause);
    troubles.accept(problem);
    return problem;
  }

  private static String hex(int number) {
    return "0x" + Integer.toHexString(number);
  }
}
