package io.stele.engine;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a store consists of: the files of its chain, oldest first, and up to which transaction they
 * hold everything. One small file, replaced as a whole with every change.
 *
 * <pre>
 *   file     := magic "STLM"(4) version(4) flushedTxn(varint) nextFile(varint)
 *               fragmentCount(varint) fragment* checksum(4)
 *   fragment := number(varint) restricted(1) [ familyCount(varint) family(sized)* ]
 * </pre>
 *
 * The checksum is the CRC32C of all before it.
 *
 * @param flushedTxn the log behind it is to be replayed
 * @param nextFile no file with this number or a higher one was ever named
 */
record Manifest(long flushedTxn, long nextFile, List<Entry> fragments) {
  static final FilePath PATH = FilePath.of("MANIFEST");
  static final Manifest EMPTY = new Manifest(0, 1, List.of());

  private static final int MAGIC = 'S' | 'T' << 8 | 'L' << 16 | 'M' << 24;
  private static final int VERSION = 1;

  /** One fragment of the chain, and the families it is restricted to, if it is. */
  record Entry(long number, Optional<Set<Bytes>> families) {}

  Manifest {
    fragments = List.copyOf(fragments);
  }

  static FilePath fragmentPath(long number) {
    return FilePath.of("fragments/%010d.frag".formatted(number));
  }

  static Manifest load(FileStore files) throws IOException {
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
      throw new CorruptDataException(PATH.toString(), e.offset(), "a manifest", e.problem());
    }
  }

  /** Makes a store that begins behind a transaction, where there is none yet. */
  static void begin(FileStore files, long txn) throws IOException {
    if (txn > 0 && files.stat(PATH).isEmpty()) {
      new Manifest(txn, 1, List.of()).save(files);
    }
  }

  void save(FileStore files) throws IOException {
    files.replace(PATH, encode());
  }

  private byte[] encode() {
    ByteBuilder out = new ByteBuilder(256);
    out.putInt(MAGIC).putInt(VERSION).putVarint(flushedTxn).putVarint(nextFile);
    out.putVarint(fragments.size());
    for (Entry entry : fragments) {
      out.putVarint(entry.number()).putByte(entry.families().isPresent() ? 1 : 0);
      entry
          .families()
          .ifPresent(
              families -> {
                out.putVarint(families.size());
                families.stream().sorted().forEach(out::putSized);
              });
    }
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    return out.toArray();
  }

  private static Manifest decode(byte[] bytes) throws Malformed {
    ByteReader in = new ByteReader(bytes, 0, Math.max(0, bytes.length - 4));
    if (in.readInt() != MAGIC) {
      throw in.malformed("another magic than STLM");
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
    long flushedTxn = in.readVarint();
    long nextFile = in.readVarint();
    List<Entry> fragments = new ArrayList<>();
    for (int n = in.readVarint(in.remaining(), "fragment count"); n > 0; n--) {
      long number = in.readVarint();
      fragments.add(new Entry(number, readFamilies(in)));
    }
    return new Manifest(flushedTxn, nextFile, fragments);
  }

  private static Optional<Set<Bytes>> readFamilies(ByteReader in) throws Malformed {
    if (in.readByte() == 0) {
      return Optional.empty();
    }
    Set<Bytes> families = new LinkedHashSet<>();
    for (int n = in.readVarint(in.remaining(), "family count"); n > 0; n--) {
      families.add(in.readSized("family"));
    }
    return Optional.of(families);
  }
}
