package io.stele.gateway.nativeapi;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.LockState;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.TransactionStart;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.Standing;
import io.stele.metastore.watch.KeyEvent;
import io.stele.protocol.v1.BeginResponse;
import io.stele.protocol.v1.DeleteResponse;
import io.stele.protocol.v1.GetAclResponse;
import io.stele.protocol.v1.GetLockResponse;
import io.stele.protocol.v1.IdentifyResponse;
import io.stele.protocol.v1.ListResponse;
import io.stele.protocol.v1.MembersResponse;
import io.stele.protocol.v1.OpenSessionResponse;
import io.stele.protocol.v1.PutResponse;
import io.stele.protocol.v1.RangeResponse;
import io.stele.protocol.v1.StatusResponse;
import io.stele.protocol.v1.TransactResponse;
import io.stele.protocol.v1.WatchResponse;
import java.util.List;

/** The metastore's answers as messages. */
final class ToWire {
  /** The role of a server that belongs to no group. */
  private static final String UNFORMED = "UNFORMED";

  private ToWire() {}

  /** Shares the array: byte strings on both sides never change. */
  static ByteString bytes(Bytes bytes) {
    return bytes.isEmpty()
        ? ByteString.EMPTY
        : UnsafeByteOperations.unsafeWrap(bytes.sharedArray());
  }

  static OpenSessionResponse opened(Answer.SessionOpened opened) {
    return OpenSessionResponse.newBuilder()
        .setSession(opened.session())
        .setTtlMillis(opened.timeToLive().toMillis())
        .build();
  }

  static io.stele.protocol.v1.KeyValue keyValue(KeyValue keyValue) {
    return io.stele.protocol.v1.KeyValue.newBuilder()
        .setKey(bytes(keyValue.key()))
        .setValue(bytes(keyValue.value()))
        .setCreated(keyValue.created())
        .setModified(keyValue.modified())
        .setVersion(keyValue.version())
        .setSession(keyValue.session())
        .build();
  }

  static RangeResponse range(RangeAnswer answer) {
    RangeResponse.Builder response =
        RangeResponse.newBuilder()
            .setRevision(answer.revision())
            .setMore(answer.more())
            .setCount(answer.count());
    for (KeyValue key : answer.keys()) {
      response.addKeys(keyValue(key));
    }
    return response.build();
  }

  static ListResponse list(List<DirectoryEntry> entries) {
    ListResponse.Builder response = ListResponse.newBuilder();
    for (DirectoryEntry entry : entries) {
      response.addEntries(
          ListResponse.Entry.newBuilder()
              .setName(entry.name())
              .setValue(entry.value())
              .setDirectory(entry.directory()));
    }
    return response.build();
  }

  static PutResponse put(Answer.Transacted answer) {
    PutResponse.Builder response = PutResponse.newBuilder().setRevision(answer.revision());
    if (answer.results().getFirst() instanceof OperationResult.Done(var previous)
        && previous.isPresent()) {
      response.setPrevious(keyValue(previous.get()));
    }
    return response.build();
  }

  static DeleteResponse delete(Answer.Transacted answer) {
    DeleteResponse.Builder response = DeleteResponse.newBuilder().setRevision(answer.revision());
    if (answer.results().getFirst() instanceof OperationResult.Deleted(var count, var previous)) {
      response.setCount(count);
      previous.forEach(key -> response.addPrevious(keyValue(key)));
    }
    return response.build();
  }

  static TransactResponse transacted(Answer.Transacted answer) {
    TransactResponse.Builder response =
        TransactResponse.newBuilder()
            .setSucceeded(answer.succeeded())
            .setRevision(answer.revision());
    for (OperationResult result : answer.results()) {
      response.addResults(result(result));
    }
    return response.build();
  }

  private static io.stele.protocol.v1.OperationResult result(OperationResult result) {
    var message = io.stele.protocol.v1.OperationResult.newBuilder();
    switch (result) {
      case OperationResult.Done(var previous) -> {
        var done = message.getDoneBuilder();
        previous.ifPresent(key -> done.setPrevious(keyValue(key)));
      }
      case OperationResult.Deleted(var count, var previous) -> {
        var deleted = message.getDeletedBuilder().setCount(count);
        previous.forEach(key -> deleted.addPrevious(keyValue(key)));
      }
      case OperationResult.Found(var keys, var more) -> {
        var found = message.getFoundBuilder().setMore(more);
        keys.forEach(key -> found.addKeys(keyValue(key)));
      }
      case OperationResult.Selected _, OperationResult.Branched _ ->
          throw new IllegalStateException("no request of this protocol is answered by " + result);
    }
    return message.build();
  }

  static BeginResponse begun(TransactionStart start) {
    return BeginResponse.newBuilder()
        .setTransaction(start.id())
        .setRevision(start.revision())
        .build();
  }

  static GetLockResponse lock(LockState lock) {
    GetLockResponse.Builder response =
        GetLockResponse.newBuilder()
            .setExclusive(lock.exclusive())
            .setDelayed(lock.delayed())
            .addAllWaiting(lock.waiting());
    for (LockState.Holder holder : lock.holders()) {
      response.addHolders(
          GetLockResponse.Holder.newBuilder()
              .setSession(holder.session())
              .setToken(holder.token())
              .setCount(holder.count()));
    }
    return response.build();
  }

  static WatchResponse started(long revision) {
    return WatchResponse.newBuilder()
        .setStarted(WatchResponse.Started.newBuilder().setRevision(revision))
        .build();
  }

  static WatchResponse events(long revision, List<KeyEvent> events) {
    WatchResponse.Events.Builder message = WatchResponse.Events.newBuilder().setRevision(revision);
    for (KeyEvent event : events) {
      WatchResponse.Event.Builder told =
          WatchResponse.Event.newBuilder()
              .setDeleted(event.deleted())
              .setNow(keyValue(event.now()));
      event.before().ifPresent(before -> told.setBefore(keyValue(before)));
      message.addEvents(told);
    }
    return WatchResponse.newBuilder().setEvents(message).build();
  }

  static WatchResponse progress(long revision) {
    return WatchResponse.newBuilder()
        .setProgress(WatchResponse.Progress.newBuilder().setRevision(revision))
        .build();
  }

  static WatchResponse compacted(long oldest) {
    return WatchResponse.newBuilder()
        .setCompacted(WatchResponse.Compacted.newBuilder().setOldest(oldest))
        .build();
  }

  static GetAclResponse acl(List<AclEntry> entries) {
    GetAclResponse.Builder response = GetAclResponse.newBuilder();
    for (AclEntry entry : entries) {
      response.addEntries(
          io.stele.protocol.v1.AclEntry.newBuilder()
              .setPrincipal(entry.principal())
              .setRead(entry.read())
              .setWrite(entry.write()));
    }
    return response.build();
  }

  static io.stele.protocol.v1.Member member(Member member) {
    return io.stele.protocol.v1.Member.newBuilder()
        .setId(member.id())
        .setRaftAddress(member.raftAddress())
        .setServiceAddress(member.serviceAddress())
        .build();
  }

  static MembersResponse members(List<Member> members) {
    MembersResponse.Builder response = MembersResponse.newBuilder();
    members.forEach(member -> response.addMembers(member(member)));
    return response.build();
  }

  static StatusResponse status(MetastoreStatus status) {
    Standing standing = status.standing();
    StatusResponse.Builder response =
        StatusResponse.newBuilder()
            .setGroup(status.group())
            .setSelf(member(standing.self()))
            .setRole(status.group().isEmpty() ? UNFORMED : standing.role().name())
            .setReady(standing.ready())
            .setTerm(standing.term())
            .setApplied(standing.applied())
            .setRevision(status.revision())
            .setCompacted(status.compacted())
            .setSessions(status.sessions())
            .setLocks(status.locks())
            .setWatches(status.watches())
            .setTransactions(status.transactions())
            .setDiskBytes(status.diskBytes());
    standing.leader().ifPresent(leader -> response.setLeader(member(leader)));
    standing.members().forEach(member -> response.addMembers(member(member)));
    return response.build();
  }

  /** Of a server that serves no metastore yet. */
  static StatusResponse waiting(PeerIdentity identity) {
    StatusResponse.Builder response =
        StatusResponse.newBuilder().setSelf(member(identity.member())).setRole(UNFORMED);
    identity.group().ifPresent(response::setGroup);
    return response.build();
  }

  static IdentifyResponse identity(PeerIdentity identity) {
    IdentifyResponse.Builder response =
        IdentifyResponse.newBuilder()
            .setMember(member(identity.member()))
            .setVersion(identity.version());
    identity.clientUrl().ifPresent(response::setClientUrl);
    identity.group().ifPresent(response::setGroup);
    return response.build();
  }
}
