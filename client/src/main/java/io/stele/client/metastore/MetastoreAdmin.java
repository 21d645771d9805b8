package io.stele.client.metastore;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.stele.base.error.SteleException;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.AddMemberRequest;
import io.stele.protocol.v1.BackupRequest;
import io.stele.protocol.v1.BootstrapRequest;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.v1.CompactRequest;
import io.stele.protocol.v1.GetAclRequest;
import io.stele.protocol.v1.MembersResponse;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.RemoveMemberRequest;
import io.stele.protocol.v1.ReplaceMemberRequest;
import io.stele.protocol.v1.SetAclRequest;
import io.stele.protocol.v1.StatusRequest;
import io.stele.protocol.v1.StatusResponse;
import io.stele.protocol.v1.TransferLeadRequest;
import io.stele.protocol.wire.ErrorMapping;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Members, rights, history and backups of a metastore. */
public final class MetastoreAdmin {
  /** Newcomers catch up before they are members. */
  private static final Duration MEMBER_PATIENCE = Duration.ofMinutes(5);

  private final AsyncMetastoreClient client;
  private final Caller caller;

  MetastoreAdmin(AsyncMetastoreClient client) {
    this.client = client;
    this.caller = client.caller();
  }

  // ---- how it is

  /** Asks the servers that the client was given, and the members that those name, how they are. */
  public List<MemberReport> status() {
    Map<String, MemberReport> reports = new LinkedHashMap<>();
    Set<String> toAsk = new LinkedHashSet<>(caller.endpoints().addresses());
    while (!toAsk.isEmpty()) {
      Map<String, CompletableFuture<StatusResponse>> asked = new LinkedHashMap<>();
      toAsk.forEach(address -> asked.put(address, askStatus(address)));
      toAsk.clear();
      asked.forEach((address, answer) -> reports.put(address, report(address, answer)));
      for (MemberReport report : List.copyOf(reports.values())) {
        if (report instanceof MemberReport.Reached(var address, var status)) {
          status.members().stream()
              .map(Member::serviceAddress)
              .filter(other -> !other.isEmpty() && !knows(reports, other))
              .forEach(toAsk::add);
        }
      }
    }
    return List.copyOf(reports.values());
  }

  /** Whether a member was asked already, perhaps under another name. */
  private static boolean knows(Map<String, MemberReport> reports, String serviceAddress) {
    return reports.containsKey(serviceAddress)
        || reports.values().stream()
            .anyMatch(
                report ->
                    report instanceof MemberReport.Reached(var address, var status)
                        && status.self().serviceAddress().equals(serviceAddress));
  }

  private CompletableFuture<StatusResponse> askStatus(String address) {
    return caller.callAt(
        address,
        MetastoreGrpc.getStatusMethod(),
        StatusRequest.getDefaultInstance(),
        caller.settings().attemptTimeout());
  }

  private static MemberReport report(String address, CompletableFuture<StatusResponse> answer) {
    try {
      return new MemberReport.Reached(address, status(Await.answer(answer)));
    } catch (SteleException e) {
      return new MemberReport.Failed(address, e);
    }
  }

  private static MemberStatus status(StatusResponse response) {
    return new MemberStatus(
        response.getGroup(),
        member(response.getSelf()),
        response.getRole(),
        response.getReady(),
        response.getTerm(),
        response.hasLeader() ? Optional.of(member(response.getLeader())) : Optional.empty(),
        response.getMembersList().stream().map(MetastoreAdmin::member).toList(),
        response.getApplied(),
        response.getRevision(),
        response.getCompacted(),
        response.getSessions(),
        response.getLocks(),
        response.getWatches(),
        response.getTransactions(),
        response.getDiskBytes());
  }

  private static Member member(io.stele.protocol.v1.Member member) {
    return new Member(member.getId(), member.getRaftAddress(), member.getServiceAddress());
  }

  // ---- members

  /** The members, as a server that can be reached knows them. */
  public List<Member> members() {
    return status(
            Await.answer(
                caller.call(
                    MetastoreGrpc.getStatusMethod(),
                    StatusRequest.getDefaultInstance(),
                    Repeat.READ)))
        .members();
  }

  /**
   * Forms a group of servers that belong to none.
   *
   * @param serviceAddresses of all of them; the client must be connected to one
   */
  public List<Member> bootstrap(List<String> serviceAddresses) {
    return change(
        MetastoreGrpc.getBootstrapMethod(),
        BootstrapRequest.newBuilder().addAllServiceAddresses(serviceAddresses).build());
  }

  /** Adds a server that belongs to no group; it catches up first. */
  public List<Member> add(String serviceAddress) {
    return change(
        MetastoreGrpc.getAddMemberMethod(),
        AddMemberRequest.newBuilder().setServiceAddress(serviceAddress).build());
  }

  public List<Member> remove(String memberId) {
    return change(
        MetastoreGrpc.getRemoveMemberMethod(),
        RemoveMemberRequest.newBuilder().setMember(memberId).build());
  }

  /** Puts a new server in the place of a member, which may be dead. */
  public List<Member> replace(String memberId, String serviceAddress) {
    return change(
        MetastoreGrpc.getReplaceMemberMethod(),
        ReplaceMemberRequest.newBuilder()
            .setMember(memberId)
            .setServiceAddress(serviceAddress)
            .build());
  }

  /** Hands the lead to another member. */
  public List<Member> transferLead(String memberId) {
    return change(
        MetastoreGrpc.getTransferLeadMethod(),
        TransferLeadRequest.newBuilder().setMember(memberId).build());
  }

  private <Q> List<Member> change(MethodDescriptor<Q, MembersResponse> method, Q request) {
    return members(Await.answer(caller.call(method, request, Repeat.IF_NOT_DONE, MEMBER_PATIENCE)));
  }

  private static List<Member> members(MembersResponse response) {
    return response.getMembersList().stream().map(MetastoreAdmin::member).toList();
  }

  // ---- history and rights

  /** Forgets what was before a revision. */
  public void compact(long revision) {
    Await.answer(
        client.write(
            MetastoreGrpc.getCompactMethod(),
            origin -> CompactRequest.newBuilder().setOrigin(origin).setRevision(revision).build()));
  }

  /** Sets who may do what below a directory; no entries: what counts above it counts. */
  public void setAcl(String directory, List<AclEntry> entries) {
    SetAclRequest.Builder request = SetAclRequest.newBuilder().setDirectory(directory);
    for (AclEntry entry : entries) {
      request.addEntries(
          io.stele.protocol.v1.AclEntry.newBuilder()
              .setPrincipal(entry.principal())
              .setRead(entry.read())
              .setWrite(entry.write()));
    }
    SetAclRequest unnumbered = request.build();
    Await.answer(
        client.write(
            MetastoreGrpc.getSetAclMethod(),
            origin -> unnumbered.toBuilder().setOrigin(origin).build()));
  }

  /** The rules that count for a key or directory: those of the nearest directory that has any. */
  public List<AclEntry> acl(String path) {
    return Await.answer(
            caller.call(
                MetastoreGrpc.getGetAclMethod(),
                GetAclRequest.newBuilder().setPath(path).build(),
                Repeat.READ))
        .getEntriesList()
        .stream()
        .map(entry -> new AclEntry(entry.getPrincipal(), entry.getRead(), entry.getWrite()))
        .toList();
  }

  // ---- backups

  /** Writes the whole state at one moment, as the leader has it. Returns the number of bytes. */
  public long backup(OutputStream out) throws IOException {
    String from = leaderAddress();
    long bytes = 0;
    try {
      Iterator<Chunk> chunks =
          ClientCalls.blockingServerStreamingCall(
              caller.endpoints().at(from).channel(),
              MetastoreGrpc.getBackupMethod(),
              CallOptions.DEFAULT,
              BackupRequest.getDefaultInstance());
      while (chunks.hasNext()) {
        Chunk chunk = chunks.next();
        chunk.getData().writeTo(out);
        bytes += chunk.getData().size();
      }
    } catch (StatusRuntimeException e) {
      throw ErrorMapping.fromThrown(from, e);
    }
    return bytes;
  }

  private String leaderAddress() {
    StatusResponse status =
        Await.answer(
            caller.call(
                MetastoreGrpc.getStatusMethod(), StatusRequest.getDefaultInstance(), Repeat.READ));
    String leader = status.getLeader().getServiceAddress();
    return leader.isEmpty() ? caller.endpoints().current().address() : leader;
  }

  /** Has a server that belongs to no group become the only member of one, from a backup. */
  public List<Member> restore(InputStream backup) throws IOException {
    String to = caller.endpoints().current().address();
    ChunkSender<MembersResponse> sender = new ChunkSender<>(to);
    ClientCalls.asyncClientStreamingCall(
        caller
            .endpoints()
            .at(to)
            .channel()
            .newCall(MetastoreGrpc.getRestoreMethod(), CallOptions.DEFAULT),
        sender);
    byte[] buffer = new byte[ChunkSender.CHUNK_BYTES];
    int read;
    while ((read = backup.readNBytes(buffer, 0, buffer.length)) > 0) {
      byte[] content = Arrays.copyOf(buffer, read);
      Chunk chunk = Chunk.newBuilder().setData(UnsafeByteOperations.unsafeWrap(content)).build();
      if (!sender.send(chunk)) {
        break; // the server has said all it will: the answer tells
      }
    }
    return members(Await.answer(sender.finish()));
  }
}
