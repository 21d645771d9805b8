package io.stele.engine;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a store that is resolved by time has to remember of its transactions. One small file,
 * replaced as a whole.
 *
 * <pre>
 *   file := magic "STLT"(4) version(4) reserved(varint)
 *           runCount(varint) run* ageCount(varint) age* checksum(4)
 *   run  := end(varint) start(varint)
 *   age  := micros(8) txn(varint)
 * </pre>
 *
 * The checksum is the CRC32C of all before it.
 *
 * <p>Others are told of transactions before they are durable, so none may ever be given out twice,
 * though a crash has lost it: each run of the store starts above all that the one before can have
 * given out.
 *
 * @param reserved no transaction above it was ever given out
 * @param runs where runs began behind the end of the one before; the log may skip what is between
 * @param ages ascending in both; how long a cell has been here is told by its transaction
 */
record TxnMarks(long reserved, List<Run> runs, List<Age> ages) {
  static final FilePath PATH = FilePath.of("MARKS");
  static final TxnMarks EMPTY = new TxnMarks(0, List.of(), List.of());

  /** More than can be given out between two saves: each takes memory until it is flushed. */
  static final long RESERVE = 1L << 24;

  private static final int AGES_IN_GRACE = 16;
  private static final int MAGIC = 'S' | 'T' << 8 | 'L' << 16 | 'T' << 24;
  private static final int VERSION = 1;

  /** A run that began behind {@code start}, when the newest transaction was {@code end}. */
  record Run(long end, long start) {}

  /** All transactions up to this one were given out before this time. */
  record Age(long micros, long txn) {}

  TxnMarks {
    runs = List.copyOf(runs);
    ages = List.copyOf(ages);
  }

  /** Another run begins, when this is the newest transaction that was found. */
  TxnMarks begin(long newest, long flushedTxn) {
    long start = Math.max(newest, reserved);
    List<Run> all = new ArrayList<>();
    for (Run run : runs) {
      if (run.start >= flushedTxn) { // else the log need not be read that far back
        all.add(run);
      }
    }
    if (start > newest) {
      all.add(new Run(newest, start));
    }
    return new TxnMarks(start + RESERVE, all, ages);
  }

  /** Was nothing committed behind one transaction and before another? */
  boolean skipped(long last, long next) {
    for (Run run : runs) {
      if (run.start == next - 1 && run.end <= last) {
        return true;
      }
    }
    return false;
  }

  /**
   * Notes that a transaction is the newest at a time, unless that was done a short while ago.
   *
   * @param grace the age that will be asked for, in microseconds
   */
  TxnMarks note(long micros, long txn, long grace) {
    List<Age> all = new ArrayList<>(ages);
    all.removeIf(age -> age.micros > micros); // by a clock that was wrong
    if (all.isEmpty() || micros - all.getLast().micros >= grace / AGES_IN_GRACE) {
      all.add(new Age(micros, txn));
    }
    while (all.size() > 1 && all.get(1).micros <= micros - grace) {
      all.removeFirst();
    }
    return new TxnMarks(Math.max(reserved, txn + RESERVE), runs, all);
  }

  /** The newest transaction that is known to have been given out by then; below all if none is. */
  long txnAt(long micros) {
    long txn = -1;
    for (Age age : ages) {
      if (age.micros <= micros) {
        txn = Math.max(txn, age.txn);
      }
    }
    return txn;
  }

  static TxnMarks load(FileStore files) throws IOException {
    if (files.stat(PATH).isEmpty()) {
      return EMPTY;
    }
    byte[] bytes;
    try (ReadableFile file = files.open(PATH)) {
      bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
    }
    try {
      return decode(bytes);
    } catch (Malformed e) {
      throw new CorruptDataException(PATH.toString(), e.offset(), "marks", e.problem());
    }
  }

  void save(FileStore files) throws IOException {
    files.replace(PATH, encode());
  }

  private byte[] encode() {
    ByteBuilder out = new ByteBuilder(256);
    out.putInt(MAGIC).putInt(VERSION).putVarint(reserved).putVarint(runs.size());
    for (Run run : runs) {
      out.putVarint(run.end).putVarint(run.start);
    }
    out.putVarint(ages.size());
    for (Age age : ages) {
      out.putLong(age.micros).putVarint(age.txn);
    }
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    return out.toArray();
  }

  private static TxnMarks decode(byte[] bytes) throws Malformed {
    ByteReader in = new ByteReader(bytes, 0, Math.max(0, bytes.length - 4));
    if (in.readInt() != MAGIC) {
      throw in.malformed("another magic than STLT");
    }
    int expected = Binary.getInt(bytes, bytes.length - 4);
    int found = Crc32c.of(bytes, 0, bytes.length - 4);
    if (expected != found) {
      throw in.malformed("checksum " + found + " instead of " + expected);
    }
    int version = in.readInt();
    if (version != VERSION) {
      throw in.malformed("version " + version + " instead of " + VERSION);
    }
    long reserved = in.readVarint();
    List<Run> runs = new ArrayList<>();
    for (int n = in.readVarint(in.remaining(), "run count"); n > 0; n--) {
      runs.add(new Run(in.readVarint(), in.readVarint()));
    }
    List<Age> ages = new ArrayList<>();
    for (int n = in.readVarint(in.remaining(), "age count"); n > 0; n--) {
      ages.add(new Age(in.readLong(), in.readVarint()));
    }
    return new TxnMarks(reserved, runs, ages);
  }
}
