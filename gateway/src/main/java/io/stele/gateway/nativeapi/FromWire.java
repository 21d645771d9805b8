package io.stele.gateway.nativeapi;

import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.Consistency;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.raft.Member;
import io.stele.metastore.watch.WatchRequest;
import io.stele.protocol.v1.DeleteRequest;
import io.stele.protocol.v1.PutRequest;
import io.stele.protocol.v1.RangeRequest;
import io.stele.protocol.v1.ReadInRequest;
import io.stele.protocol.v1.TransactRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Requests as the metastore understands them. Whatever a message may hold that makes no sense is
 * refused here, and so are keys that are not paths. Bounds of ranges need not be paths; what of a
 * range cannot hold paths is left out, as other protocols' keys are there.
 */
final class FromWire {
  private FromWire() {}

  static Bytes bytes(ByteString bytes) {
    return bytes.isEmpty() ? Bytes.EMPTY : Bytes.wrap(bytes.toByteArray());
  }

  static Bytes key(ByteString key) {
    return PathKey.check(bytes(key));
  }

  static Bytes directory(String directory) {
    Bytes path = Bytes.utf8(directory);
    PathKey.directoryProblem(path)
        .ifPresent(
            problem -> {
              throw new InvalidRequestException(problem);
            });
    return path;
  }

  static KeyRange range(io.stele.protocol.v1.KeyRange range) {
    if (!range.hasTo()) {
      return KeyRange.of(key(range.getFrom()));
    }
    return OpaqueKey.paths(
        new KeyRange(
            bytes(range.getFrom()), range.getTo().isEmpty() ? null : bytes(range.getTo())));
  }

  static Origin origin(String principal, boolean given, io.stele.protocol.v1.Origin origin) {
    if (given && (origin.getSession() != 0 || origin.getSequence() != 0)) {
      return new Origin(
          principal, origin.getSession(), origin.getSequence(), origin.getAnsweredBelow());
    }
    return principal.isEmpty() ? Origin.NOBODY : Origin.of(principal);
  }

  static Consistency consistency(io.stele.protocol.v1.Consistency consistency) {
    return switch (consistency) {
      case LINEARIZABLE -> Consistency.LINEARIZABLE;
      case LEASE -> Consistency.LEASE;
      case STALE -> Consistency.STALE;
      case UNRECOGNIZED ->
          throw new InvalidRequestException(
              "unknown consistency: must be LINEARIZABLE, LEASE or STALE");
    };
  }

  static RangeRead read(RangeRequest request) {
    if (request.getRevision() < 0) {
      throw new InvalidRequestException(
          "read at revision "
              + request.getRevision()
              + ": must be 0 for the newest, or a revision");
    }
    return new RangeRead(
        range(request.getRange()),
        limit(request.getLimit()),
        request.getKeysOnly(),
        request.getCountOnly(),
        request.getRevision());
  }

  static RangeRead read(ReadInRequest request) {
    return new RangeRead(
        range(request.getRange()), limit(request.getLimit()), request.getKeysOnly(), false, 0);
  }

  static int limit(int limit) {
    if (limit < 0) {
      throw new InvalidRequestException(
          "limit of " + limit + " keys: must be 0 for the server's own, or positive");
    }
    return limit;
  }

  static Transaction transaction(PutRequest put) {
    return Transaction.of(
        new Operation.Put(
            key(put.getKey()),
            bytes(put.getValue()),
            session(put.getSession()),
            put.getPrevious()));
  }

  static Transaction transaction(DeleteRequest delete) {
    return Transaction.of(new Operation.Delete(range(delete.getRange()), delete.getPrevious()));
  }

  static Transaction transaction(TransactRequest request) {
    return new Transaction(
        comparisons(request.getComparisonsList()),
        operations(request.getThenList()),
        operations(request.getOtherwiseList()),
        Optional.empty());
  }

  static List<Comparison> comparisons(List<io.stele.protocol.v1.Comparison> comparisons) {
    List<Comparison> understood = new ArrayList<>(comparisons.size());
    for (var comparison : comparisons) {
      understood.add(comparison(comparison));
    }
    return understood;
  }

  private static Comparison comparison(io.stele.protocol.v1.Comparison comparison) {
    return switch (comparison.getOperandCase()) {
      case CREATED -> property(comparison, Comparison.Field.CREATED, comparison.getCreated());
      case MODIFIED -> property(comparison, Comparison.Field.MODIFIED, comparison.getModified());
      case VERSION -> property(comparison, Comparison.Field.VERSION, comparison.getVersion());
      case SESSION -> property(comparison, Comparison.Field.SESSION, comparison.getSession());
      case VALUE ->
          new Comparison.Value(
              range(comparison.getRange()),
              relation(comparison.getRelation()),
              bytes(comparison.getValue()));
      case LOCK_HELD ->
          new Comparison.LockHeld(
              key(comparison.getLockHeld().getKey()), comparison.getLockHeld().getToken());
      case OPERAND_NOT_SET ->
          throw new InvalidRequestException(
              "comparison without an operand: must compare created, modified, version, session or"
                  + " value, or demand a held lock");
    };
  }

  private static Comparison property(
      io.stele.protocol.v1.Comparison comparison, Comparison.Field field, long operand) {
    return new Comparison.Property(
        range(comparison.getRange()), field, relation(comparison.getRelation()), operand);
  }

  private static Comparison.Relation relation(io.stele.protocol.v1.Comparison.Relation relation) {
    return switch (relation) {
      case EQUAL -> Comparison.Relation.EQUAL;
      case NOT_EQUAL -> Comparison.Relation.NOT_EQUAL;
      case LESS -> Comparison.Relation.LESS;
      case GREATER -> Comparison.Relation.GREATER;
      case UNRECOGNIZED ->
          throw new InvalidRequestException(
              "unknown relation of a comparison: must be EQUAL, NOT_EQUAL, LESS or GREATER");
    };
  }

  static List<Operation> operations(List<io.stele.protocol.v1.Operation> operations) {
    List<Operation> understood = new ArrayList<>(operations.size());
    for (var operation : operations) {
      understood.add(operation(operation));
    }
    return understood;
  }

  private static Operation operation(io.stele.protocol.v1.Operation operation) {
    return switch (operation.getOperationCase()) {
      case PUT -> {
        var put = operation.getPut();
        yield new Operation.Put(
            key(put.getKey()), bytes(put.getValue()), session(put.getSession()), put.getPrevious());
      }
      case DELETE ->
          new Operation.Delete(
              range(operation.getDelete().getRange()), operation.getDelete().getPrevious());
      case GET ->
          new Operation.Get(
              range(operation.getGet().getRange()), limit(operation.getGet().getLimit()));
      case OPERATION_NOT_SET ->
          throw new InvalidRequestException(
              "empty step of a transaction: must be a put, a delete or a get");
    };
  }

  static WatchRequest watch(io.stele.protocol.v1.WatchRequest request) {
    return new WatchRequest(range(request.getRange()), request.getFrom(), request.getPrevious());
  }

  /** A time that a caller gives; {@code what} names it. */
  static Duration millis(String what, long millis) {
    if (millis < 0) {
      throw new InvalidRequestException(what + " of " + millis + " ms: must not be negative");
    }
    return Duration.ofMillis(millis);
  }

  private static long session(long session) {
    if (session < 0) {
      throw new InvalidRequestException(
          "session " + session + ": must be 0 for none, or the id of a session");
    }
    return session;
  }

  static List<AclEntry> acl(List<io.stele.protocol.v1.AclEntry> entries) {
    List<AclEntry> understood = new ArrayList<>(entries.size());
    for (var entry : entries) {
      if (entry.getPrincipal().isEmpty()) {
        throw new InvalidRequestException(
            "rule without a principal: must name one, or * for everybody else");
      }
      understood.add(new AclEntry(entry.getPrincipal(), entry.getRead(), entry.getWrite()));
    }
    return understood;
  }

  static Member member(io.stele.protocol.v1.Member member) {
    return new Member(member.getId(), member.getRaftAddress(), member.getServiceAddress());
  }

  static List<Member> members(List<io.stele.protocol.v1.Member> members) {
    return members.stream().map(FromWire::member).toList();
  }
}
