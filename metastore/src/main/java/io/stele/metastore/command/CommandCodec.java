package io.stele.metastore.command;

import static io.stele.metastore.command.FieldCodec.putBoolean;
import static io.stele.metastore.command.FieldCodec.putDuration;
import static io.stele.metastore.command.FieldCodec.putList;
import static io.stele.metastore.command.FieldCodec.putText;
import static io.stele.metastore.command.FieldCodec.readBoolean;
import static io.stele.metastore.command.FieldCodec.readDuration;
import static io.stele.metastore.command.FieldCodec.readList;
import static io.stele.metastore.command.FieldCodec.readText;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.command.Command.Acquire;
import io.stele.metastore.command.Command.CloseSession;
import io.stele.metastore.command.Command.Compact;
import io.stele.metastore.command.Command.EndDelay;
import io.stele.metastore.command.Command.EndGrant;
import io.stele.metastore.command.Command.EndWait;
import io.stele.metastore.command.Command.ExpireLease;
import io.stele.metastore.command.Command.ExpireSession;
import io.stele.metastore.command.Command.GrantLease;
import io.stele.metastore.command.Command.OpenSession;
import io.stele.metastore.command.Command.Reclaim;
import io.stele.metastore.command.Command.Release;
import io.stele.metastore.command.Command.RevokeLease;
import io.stele.metastore.command.Command.SetAcl;
import io.stele.metastore.command.Command.SetVersion;
import io.stele.metastore.command.Command.TakeFingerprint;
import io.stele.metastore.command.Command.Transact;

/**
 * Commands as bytes. The fields are those of the records, in their order; their forms are drawn in
 * {@link FieldCodec}, those of a transaction in {@link TransactionCodec}.
 *
 * <pre>
 *   command := 1 principal(text) timeToLive label(text) requestId(bytes)      open session
 *            | 2 principal(text) session                                      close session
 *            | 3 session                                                      expire session
 *            | 4 origin transaction                                           transact
 *            | 5 origin key(bytes) exclusive(1) patience delay                acquire
 *            | 6 origin key(bytes)                                            release
 *            | 7 key(bytes) session sequence                                  end wait
 *            | 8 key(bytes) token                                             end delay
 *            | 9 origin revision                                              compact
 *            | 10 revisions                                                   reclaim
 *            | 11 origin directory(bytes) list of aclEntry                    set ACL
 *            | 12 lease timeToLive                                            grant lease
 *            | 13 principal(text) lease                                       revoke lease
 *            | 14 lease                                                       expire lease
 *            | 15 session term                                                expire session
 *            | 16 lease term                                                  expire lease
 *            | 17 key(bytes) session sequence token                           end grant
 *            | 18 clusterState                                                set version
 *            | 19                                                             take fingerprint
 *   origin  := principal(text) session [ sequence (sequence - answeredBelow) ]   if session &gt; 0
 * </pre>
 *
 * <p>The codes are in logs and never change.
 */
final class CommandCodec {
  private CommandCodec() {}

  static void write(ByteBuilder out, Command command) {
    switch (command) {
      case OpenSession c -> {
        out.putByte(1);
        putText(out, c.principal());
        putDuration(out, c.timeToLive());
        putText(out, c.label());
        out.putSized(c.requestId());
      }
      case CloseSession c -> {
        out.putByte(2);
        putText(out, c.principal());
        out.putVarint(c.session());
      }
      case ExpireSession c -> {
        out.putByte(c.term() == 0 ? 3 : 15).putVarint(c.session());
        putTerm(out, c.term());
      }
      case Transact c -> {
        out.putByte(4);
        putOrigin(out, c.origin());
        TransactionCodec.write(out, c.transaction());
      }
      case Acquire c -> {
        out.putByte(5);
        putOrigin(out, c.origin());
        out.putSized(c.key());
        putBoolean(out, c.exclusive());
        putDuration(out, c.patience());
        putDuration(out, c.delay());
      }
      case Release c -> {
        out.putByte(6);
        putOrigin(out, c.origin());
        out.putSized(c.key());
      }
      case EndWait c ->
          out.putByte(7).putSized(c.key()).putVarint(c.session()).putVarint(c.sequence());
      case EndGrant c ->
          out.putByte(17)
              .putSized(c.key())
              .putVarint(c.session())
              .putVarint(c.sequence())
              .putVarint(c.token());
      case EndDelay c -> out.putByte(8).putSized(c.key()).putVarint(c.token());
      case Compact c -> {
        out.putByte(9);
        putOrigin(out, c.origin());
        out.putVarint(c.revision());
      }
      case Reclaim c -> out.putByte(10).putVarint(c.revisions());
      case SetAcl c -> {
        out.putByte(11);
        putOrigin(out, c.origin());
        out.putSized(c.directory());
        putList(out, c.entries(), FieldCodec::putAclEntry);
      }
      case GrantLease c -> {
        out.putByte(12).putVarint(c.id());
        putDuration(out, c.timeToLive());
      }
      case RevokeLease c -> {
        out.putByte(13);
        putText(out, c.principal());
        out.putVarint(c.id());
      }
      case ExpireLease c -> {
        out.putByte(c.term() == 0 ? 14 : 16).putVarint(c.id());
        putTerm(out, c.term());
      }
      case SetVersion c -> c.agreed().write(out.putByte(18));
      case TakeFingerprint _ -> out.putByte(19);
    }
  }

  static Command read(ByteReader in) throws Malformed {
    int code = in.readByte();
    return switch (code) {
      case 1 ->
          new OpenSession(
              readText(in, "principal"),
              readDuration(in),
              readText(in, "label"),
              in.readSized("request id"));
      case 2 -> new CloseSession(readText(in, "principal"), in.readVarint());
      case 3 -> new ExpireSession(in.readVarint());
      case 4 -> new Transact(readOrigin(in), TransactionCodec.read(in));
      case 5 ->
          new Acquire(
              readOrigin(in),
              in.readSized("key"),
              readBoolean(in),
              readDuration(in),
              readDuration(in));
      case 6 -> new Release(readOrigin(in), in.readSized("key"));
      case 7 -> new EndWait(in.readSized("key"), in.readVarint(), in.readVarint());
      case 8 -> new EndDelay(in.readSized("key"), in.readVarint());
      case 9 -> new Compact(readOrigin(in), in.readVarint());
      case 10 -> new Reclaim(in.readVarint(Integer.MAX_VALUE, "revisions"));
      case 11 ->
          new SetAcl(
              readOrigin(in),
              in.readSized("directory"),
              readList(in, "ACL entries", FieldCodec::readAclEntry));
      case 12 -> new GrantLease(in.readVarint(), readDuration(in));
      case 13 -> new RevokeLease(readText(in, "principal"), in.readVarint());
      case 14 -> new ExpireLease(in.readVarint());
      case 15 -> new ExpireSession(in.readVarint(), in.readVarint());
      case 16 -> new ExpireLease(in.readVarint(), in.readVarint());
      case 17 ->
          new EndGrant(in.readSized("key"), in.readVarint(), in.readVarint(), in.readVarint());
      case 18 -> new SetVersion(ClusterState.read(in));
      case 19 -> new TakeFingerprint();
      default -> throw in.malformed("command of unknown kind " + code + " before");
    };
  }

  private static void putTerm(ByteBuilder out, long term) {
    if (term != 0) {
      out.putVarint(term);
    }
  }

  private static void putOrigin(ByteBuilder out, Origin origin) {
    putText(out, origin.principal());
    out.putVarint(origin.session());
    if (origin.session() != 0) {
      out.putVarint(origin.sequence()).putVarint(origin.sequence() - origin.answeredBelow());
    }
  }

  private static Origin readOrigin(ByteReader in) throws Malformed {
    String principal = readText(in, "principal");
    long session = in.readVarint();
    long sequence = session == 0 ? 0 : in.readVarint();
    long answeredBelow = session == 0 ? 0 : sequence - in.readVarint();
    try {
      return new Origin(principal, session, sequence, answeredBelow);
    } catch (InvalidRequestException e) {
      throw in.malformed(e.getMessage() + ", before");
    }
  }
}
