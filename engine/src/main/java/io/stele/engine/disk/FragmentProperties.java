package io.stele.engine.disk;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a fragment says of itself.
 *
 * <pre>
 *   content := cells(varint) rows(varint) cellErasures(varint) wideErasures(varint)
 *              cellBytes(varint) minTimestamp(8) maxTimestamp(8) minTxn(8) maxTxn(8)
 *              firstRow(sized) lastRow(sized) familyCount(varint) family(sized)*
 *              codec(varint) blockSize(varint) [label(sized) [garbage]]
 *   sized   := length(varint) bytes          (garbage: see Garbage)
 * </pre>
 *
 * @param cells of all kinds
 * @param cellErasures erasures of one cell each
 * @param wideErasures erasures of columns, families and rows
 * @param cellBytes of rows, columns and values, uncompressed and spelt out
 * @param minTimestamp of the versions; above {@code maxTimestamp} if there are none
 * @param families ascending
 * @param label what the writer's caller noted; empty if nothing
 * @param garbage of the store's history; nothing if it had none, or the program was too old
 */
public record FragmentProperties(
    long cells,
    long rows,
    long cellErasures,
    long wideErasures,
    long cellBytes,
    long minTimestamp,
    long maxTimestamp,
    long minTxn,
    long maxTxn,
    Bytes firstRow,
    Bytes lastRow,
    Set<Bytes> families,
    Codec codec,
    int blockSize,
    Bytes label,
    Optional<Garbage> garbage) {

  public FragmentProperties {
    families = Collections.unmodifiableSortedSet(new TreeSet<>(families));
  }

  /**
   * About how many bytes a rewrite from the oldest fragment on can drop for the sake of this one.
   *
   * @param floor of the history
   * @param versionBytes on average
   */
  public long garbageBelow(long floor, long versionBytes) {
    return garbage.orElseGet(this::guessedGarbage).estimate(floor, versionBytes);
  }

  /** Of a file that counted none: what is more than one cell to a row may be older versions. */
  private Garbage guessedGarbage() {
    long versions = Math.max(0, cells - rows - cellErasures - wideErasures);
    return versions == 0 ? Garbage.NOTHING : new Garbage(0, versions, 0, maxTimestamp);
  }

  ByteBuilder encode() {
    ByteBuilder out = new ByteBuilder(256);
    out.putVarint(cells).putVarint(rows).putVarint(cellErasures).putVarint(wideErasures);
    out.putVarint(cellBytes);
    out.putLong(minTimestamp).putLong(maxTimestamp).putLong(minTxn).putLong(maxTxn);
    out.putSized(firstRow).putSized(lastRow).putVarint(families.size());
    for (Bytes family : families) {
      out.putSized(family);
    }
    out.putVarint(codec.code()).putVarint(blockSize);
    if (!label.isEmpty() || garbage.isPresent()) {
      out.putSized(label);
    }
    garbage.ifPresent(sums -> sums.encode(out));
    return out;
  }

  static FragmentProperties decode(byte[] bytes, int length) throws Malformed {
    ByteReader in = new ByteReader(bytes, 0, length);
    long cells = in.readVarint();
    long rows = in.readVarint();
    long cellErasures = in.readVarint();
    long wideErasures = in.readVarint();
    long cellBytes = in.readVarint();
    long minTimestamp = in.readLong();
    long maxTimestamp = in.readLong();
    long minTxn = in.readLong();
    long maxTxn = in.readLong();
    Bytes firstRow = in.readSized("first row");
    Bytes lastRow = in.readSized("last row");
    Set<Bytes> families = new TreeSet<>();
    for (int n = in.readVarint(in.remaining(), "family count"); n > 0; n--) {
      families.add(in.readSized("family"));
    }
    Codec codec =
        Codec.ofCode(in.readVarint(Byte.MAX_VALUE, "codec"))
            .orElseThrow(() -> in.malformed("unknown codec"));
    int blockSize = in.readVarint(Integer.MAX_VALUE, "block size");
    Bytes label = in.remaining() > 0 ? in.readSized("label") : Bytes.EMPTY;
    Optional<Garbage> garbage =
        in.remaining() > 0 ? Optional.of(Garbage.decode(in)) : Optional.empty();
    return new FragmentProperties(
        cells,
        rows,
        cellErasures,
        wideErasures,
        cellBytes,
        minTimestamp,
        maxTimestamp,
        minTxn,
        maxTxn,
        firstRow,
        lastRow,
        families,
        codec,
        blockSize,
        label,
        garbage);
  }
}
