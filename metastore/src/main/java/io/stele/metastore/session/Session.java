package io.stele.metastore.session;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.FieldCodec;
import java.time.Duration;

/**
 * A client's session, as it is stored.
 *
 * <pre>
 *   session := version(1) principal(text) timeToLive label(text) requestId(bytes)
 * </pre>
 *
 * @param id the transaction number of the command that opened it: unique for ever
 * @param principal whose it is: nobody else may use or close it
 * @param requestId of the request that opened it; empty if it did not say
 */
public record Session(
    long id, String principal, Duration timeToLive, String label, Bytes requestId) {
  private static final int VERSION = 1;

  public Bytes encode() {
    ByteBuilder out = new ByteBuilder(64);
    out.putByte(VERSION);
    FieldCodec.putText(out, principal);
    FieldCodec.putDuration(out, timeToLive);
    FieldCodec.putText(out, label);
    return out.putSized(requestId).toBytes();
  }

  public static Session decode(long id, Bytes stored) throws Malformed {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    int version = in.readByte();
    if (version != VERSION) {
      throw in.malformed("session of version " + version + " instead of " + VERSION);
    }
    return new Session(
        id,
        FieldCodec.readText(in, "principal"),
        FieldCodec.readDuration(in),
        FieldCodec.readText(in, "label"),
        in.readSized("request id"));
  }
}
