package io.stele.metastore.lease;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.FieldCodec;
import java.time.Duration;

/**
 * A time to live that keys share, as it is stored. Unlike a session it belongs to nobody: whoever
 * knows its id may renew it.
 *
 * <pre>
 *   lease := version(1) timeToLive
 * </pre>
 *
 * @param id chosen by who asked for it; not 0
 */
public record Lease(long id, Duration timeToLive) {
  private static final int VERSION = 1;

  public Bytes encode() {
    ByteBuilder out = new ByteBuilder(16);
    out.putByte(VERSION);
    FieldCodec.putDuration(out, timeToLive);
    return out.toBytes();
  }

  public static Lease decode(long id, Bytes stored) throws Malformed {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    int version = in.readByte();
    if (version != VERSION) {
      throw in.malformed("lease of version " + version + " instead of " + VERSION);
    }
    return new Lease(id, FieldCodec.readDuration(in));
  }
}
