package io.stele.metastore.command;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.key.KeyRange;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields that commands, answers and stored rows are made of.
 *
 * <pre>
 *   number    := varint
 *   text      := length(varint) UTF-8
 *   bytes     := length(varint) bytes
 *   duration  := seconds(varint) nanos(varint)
 *   list      := count(varint) item*
 *   range     := from(bytes) hasEnd(1) [ to(bytes) ]
 *   aclEntry  := principal(text) read (bit 0) | write (bit 1)
 *   keyValue  := key(bytes) value(bytes) created modified version session
 * </pre>
 *
 * <p>A key's lease is not among them: they are in answers that are kept for sessions, whose
 * requests are about paths, and no path has a lease.
 */
public final class FieldCodec {
  private FieldCodec() {}

  /** Writes one item of a list. */
  public interface Writer<T> {
    void write(ByteBuilder out, T item);
  }

  /** Reads one item of a list. */
  public interface Reader<T> {
    T read(ByteReader in) throws Malformed;
  }

  public static void putText(ByteBuilder out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.putVarint(utf8.length).put(utf8, 0, utf8.length);
  }

  public static String readText(ByteReader in, String what) throws Malformed {
    return in.readSized(what).toUtf8();
  }

  public static void putBoolean(ByteBuilder out, boolean value) {
    out.putByte(value ? 1 : 0);
  }

  public static boolean readBoolean(ByteReader in) throws Malformed {
    int value = in.readByte();
    if (value > 1) {
      throw in.malformed("flag of " + value + " before, instead of 0 or 1");
    }
    return value == 1;
  }

  public static void putDuration(ByteBuilder out, Duration duration) {
    out.putVarint(duration.getSeconds()).putVarint(duration.getNano());
  }

  public static Duration readDuration(ByteReader in) throws Malformed {
    long seconds = in.readVarint();
    int nanos = in.readVarint(999_999_999, "nanoseconds");
    return Duration.ofSeconds(seconds, nanos);
  }

  public static <T> void putList(ByteBuilder out, List<T> items, Writer<T> writer) {
    out.putVarint(items.size());
    for (int i = 0; i < items.size(); i++) {
      writer.write(out, items.get(i));
    }
  }

  public static <T> List<T> readList(ByteReader in, String what, Reader<T> reader)
      throws Malformed {
    // Each item takes a byte or more: no count can make this allocate more than was sent.
    int count = in.readVarint(in.remaining(), what);
    List<T> items = new ArrayList<>(Math.min(count, 1024));
    for (int i = 0; i < count; i++) {
      items.add(reader.read(in));
    }
    return items;
  }

  public static void putRange(ByteBuilder out, KeyRange range) {
    out.putSized(range.from());
    Bytes to = range.to();
    putBoolean(out, to != null);
    if (to != null) {
      out.putSized(to);
    }
  }

  public static KeyRange readRange(ByteReader in) throws Malformed {
    Bytes from = in.readSized("range start");
    @Nullable Bytes to = readBoolean(in) ? in.readSized("range end") : null;
    try {
      return new KeyRange(from, to);
    } catch (InvalidRequestException e) {
      throw in.malformed(e.getMessage() + ", before");
    }
  }

  public static void putKeyValue(ByteBuilder out, KeyValue kv) {
    out.putSized(kv.key()).putSized(kv.value());
    out.putVarint(kv.created()).putVarint(kv.modified());
    out.putVarint(kv.version()).putVarint(kv.session());
  }

  public static KeyValue readKeyValue(ByteReader in) throws Malformed {
    return new KeyValue(
        in.readSized("key"),
        in.readSized("value"),
        in.readVarint(),
        in.readVarint(),
        in.readVarint(),
        in.readVarint());
  }

  public static void putAclEntry(ByteBuilder out, AclEntry entry) {
    putText(out, entry.principal());
    out.putByte((entry.read() ? 1 : 0) | (entry.write() ? 2 : 0));
  }

  public static AclEntry readAclEntry(ByteReader in) throws Malformed {
    String principal = readText(in, "principal");
    int rights = in.readByte();
    if (rights > 3) {
      throw in.malformed("rights of " + rights + " before, at most 3");
    }
    return new AclEntry(principal, (rights & 1) != 0, (rights & 2) != 0);
  }
}
