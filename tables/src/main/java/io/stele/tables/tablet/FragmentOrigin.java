package io.stele.tables.tablet;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where a fragment comes from, kept in the fragment itself as its label, so that a file that META
 * does not name can be told from others. Fragments of earlier versions have none.
 *
 * <pre>
 *   label  := version(1) kind(1) table group first hasLast(1) last created(8) inputs(varint) input*
 *   table, group, first, last, input := length(varint) bytes
 * </pre>
 *
 * @param first the row before the first of the tablet that it was made for; empty for a flush,
 *     whose file any number of tablets share
 * @param last the last row of that tablet; none if it has no end, and for a flush
 * @param createdMicros by the clock of the server that wrote it
 * @param inputs the files that it replaces in that tablet; none unless it is a compaction's output
 */
public record FragmentOrigin(
    Kind kind,
    String table,
    String group,
    Bytes first,
    Optional<Bytes> last,
    long createdMicros,
    List<FilePath> inputs) {
  private static final int VERSION = 1;

  /** What wrote a fragment. The codes are stored and never change. */
  public enum Kind {
    FLUSH(0, "flush"),
    /** A flush of tablets that were about to leave their server. */
    LEAVING(1, "flush of leaving tablets"),
    REPLAY(2, "replay of a log"),
    COMPACTION(3, "compaction");

    private final int code;
    private final String text;

    Kind(int code, String text) {
      this.code = code;
      this.text = text;
    }

    private static Optional<Kind> ofCode(int code) {
      return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
    }
  }

  public FragmentOrigin {
    inputs = List.copyOf(inputs);
  }

  /** The origin of a file that tablets share. */
  public static FragmentOrigin shared(Kind kind, String table, String group, long createdMicros) {
    return new FragmentOrigin(
        kind, table, group, Bytes.EMPTY, Optional.empty(), createdMicros, List.of());
  }

  public Bytes label() {
    ByteBuilder out = new ByteBuilder(64);
    out.putByte(VERSION).putByte(kind.code);
    out.putSized(Bytes.utf8(table)).putSized(Bytes.utf8(group)).putSized(first);
    out.putByte(last.isPresent() ? 1 : 0).putSized(last.orElse(Bytes.EMPTY));
    out.putLong(createdMicros).putVarint(inputs.size());
    inputs.forEach(input -> out.putSized(Bytes.utf8(input.value())));
    return out.toBytes();
  }

  /** Undoes {@link #label}; nothing if there is none, or it is of a version that is not known. */
  public static Optional<FragmentOrigin> of(Bytes label) {
    if (label.isEmpty() || label.sharedArray()[0] != VERSION) {
      return Optional.empty();
    }
    try {
      ByteReader in = new ByteReader(label.sharedArray(), 0, label.length());
      in.readByte();
      Optional<Kind> kind = Kind.ofCode(in.readByte());
      String table = in.readSized("table").toUtf8();
      String group = in.readSized("group").toUtf8();
      Bytes first = in.readSized("first row");
      boolean ends = in.readByte() != 0;
      Bytes last = in.readSized("last row");
      long created = in.readLong();
      List<FilePath> inputs = new ArrayList<>();
      for (int n = in.readVarint(in.remaining(), "input count"); n > 0; n--) {
        inputs.add(FilePath.of(in.readSized("input").toUtf8()));
      }
      return kind.map(
          known ->
              new FragmentOrigin(
                  known,
                  table,
                  group,
                  first,
                  ends ? Optional.of(last) : Optional.empty(),
                  created,
                  inputs));
    } catch (Malformed e) {
      return Optional.empty();
    }
  }

  /** For people. */
  public String text() {
    return "table \"%s\", group \"%s\", %s of %s"
        .formatted(
            table,
            group,
            kind.text,
            Instant.ofEpochSecond(Math.floorDiv(createdMicros, 1_000_000L)));
  }
}
