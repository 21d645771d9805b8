package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.v1.AbortRequest;
import io.stele.protocol.v1.AclEntry;
import io.stele.protocol.v1.AcquireRequest;
import io.stele.protocol.v1.AddMemberRequest;
import io.stele.protocol.v1.BeginRequest;
import io.stele.protocol.v1.BootstrapRequest;
import io.stele.protocol.v1.CloseSessionRequest;
import io.stele.protocol.v1.CommitRequest;
import io.stele.protocol.v1.CompactRequest;
import io.stele.protocol.v1.Comparison;
import io.stele.protocol.v1.Consistency;
import io.stele.protocol.v1.DeleteRequest;
import io.stele.protocol.v1.GetAclRequest;
import io.stele.protocol.v1.GetLockRequest;
import io.stele.protocol.v1.KeepAliveRequest;
import io.stele.protocol.v1.KeyRange;
import io.stele.protocol.v1.ListRequest;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.MetastoreGrpc.MetastoreBlockingStub;
import io.stele.protocol.v1.OpenSessionRequest;
import io.stele.protocol.v1.Operation;
import io.stele.protocol.v1.Origin;
import io.stele.protocol.v1.PutRequest;
import io.stele.protocol.v1.PutResponse;
import io.stele.protocol.v1.RangeRequest;
import io.stele.protocol.v1.RangeResponse;
import io.stele.protocol.v1.ReadInRequest;
import io.stele.protocol.v1.ReleaseRequest;
import io.stele.protocol.v1.RemoveMemberRequest;
import io.stele.protocol.v1.ReplaceMemberRequest;
import io.stele.protocol.v1.SetAclRequest;
import io.stele.protocol.v1.StatusRequest;
import io.stele.protocol.v1.StatusResponse;
import io.stele.protocol.v1.TransactRequest;
import io.stele.protocol.v1.TransferLeadRequest;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireHeaders;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The native service over loopback, before a metastore that notes what it is asked. */
@Execution(ExecutionMode.CONCURRENT)
class NativeServerTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeAdmin admin = new FakeAdmin();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final MetastoreBlockingStub stub = as(server, "alice");

  @BeforeEach
  void serve() {
    server.serve(admin);
    server.serve(metastore);
  }

  @AfterEach
  void close() {
    channels.close();
    server.close();
  }

  private MetastoreBlockingStub as(NativeServer asked, String principal) {
    ManagedChannel channel = channels.to(asked.address());
    Metadata headers = new Metadata();
    if (!principal.isEmpty()) {
      headers.put(WireHeaders.PRINCIPAL, principal);
    }
    return MetastoreGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static ByteString utf8(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static KeyRange key(String key) {
    return KeyRange.newBuilder().setFrom(utf8(key)).build();
  }

  private static SteleException failure(Runnable call) {
    try {
      call.run();
    } catch (StatusRuntimeException e) {
      return ErrorMapping.fromThrown("server", e);
    }
    throw new AssertionError("did not fail");
  }

  private static final Origin ORIGIN =
      Origin.newBuilder().setSession(5).setSequence(9).setAnsweredBelow(8).build();

  @Test
  void sessions() {
    var opened =
        stub.openSession(
            OpenSessionRequest.newBuilder()
                .setTtlMillis(1_500)
                .setLabel("l")
                .setRequestId(utf8("id"))
                .build());
    assertThat(opened.getSession()).isEqualTo(42);
    assertThat(opened.getTtlMillis()).isEqualTo(1_500);
    assertThat(stub.keepAlive(KeepAliveRequest.newBuilder().setSession(42).build()).getTtlMillis())
        .isEqualTo(7_000);
    stub.closeSession(CloseSessionRequest.newBuilder().setSession(42).build());
    assertThat(metastore.asked)
        .containsExactly("open alice 1500 l id", "keep alice 42", "close alice 42");
  }

  @Test
  void reads() {
    RangeResponse found =
        stub.range(
            RangeRequest.newBuilder()
                .setRange(key("/k"))
                .setLimit(3)
                .setRevision(6)
                .setConsistency(Consistency.STALE)
                .build());
    assertThat(found.getRevision()).isEqualTo(9);
    assertThat(found.getMore()).isTrue();
    assertThat(found.getKeys(0))
        .isEqualTo(ToWire.keyValue(FakeMetastore.keyValue("/k", "v")))
        .returns(2L, kv -> kv.getCreated())
        .returns(3L, kv -> kv.getModified())
        .returns(4L, kv -> kv.getVersion())
        .returns(5L, kv -> kv.getSession());
    stub.range(
        RangeRequest.newBuilder()
            .setRange(KeyRange.newBuilder().setFrom(utf8("/a/")).setTo(utf8("/a0")))
            .build());
    stub.range(
        RangeRequest.newBuilder()
            .setRange(KeyRange.newBuilder().setTo(ByteString.EMPTY))
            .setCountOnly(true)
            .build());
    var listed =
        stub.list(ListRequest.newBuilder().setDirectory("/").setAfter("a").setLimit(2).build());
    assertThat(listed.getEntries(0).getName()).isEqualTo("name");
    assertThat(metastore.asked)
        .containsExactly(
            "read alice RangeRead[range=KeyRange[from=/k, to=/k\\x00], limit=3, keysOnly=false,"
                + " countOnly=false, revision=6] STALE",
            "read alice RangeRead[range=KeyRange[from=/a/, to=/a0], limit=0, keysOnly=false,"
                + " countOnly=false, revision=0] LINEARIZABLE",
            "read alice RangeRead[range=KeyRange[from=/, to=0], limit=0, keysOnly=false,"
                + " countOnly=true, revision=0] LINEARIZABLE",
            "list alice / a 2 LINEARIZABLE");
  }

  @Test
  void writes() {
    PutResponse put =
        stub.put(
            PutRequest.newBuilder()
                .setOrigin(ORIGIN)
                .setKey(utf8("/k"))
                .setValue(utf8("v"))
                .setSession(6)
                .setPrevious(true)
                .build());
    assertThat(put.getRevision()).isEqualTo(11);
    assertThat(put.getPrevious().getValue().toStringUtf8()).isEqualTo("old");
    var deleted = stub.delete(DeleteRequest.newBuilder().setRange(key("/k")).build());
    assertThat(deleted.getCount()).isEqualTo(2);
    assertThat(metastore.asked)
        .containsExactly(
            "transact alice@5/9<8 Transaction[comparisons=[], then=[Put[key=/k, value=v,"
                + " session=6, previous=true]], otherwise=[], reads=Optional.empty]",
            "transact alice@0/0<0 Transaction[comparisons=[], then=[Delete[range=KeyRange[from=/k,"
                + " to=/k\\x00], previous=false]], otherwise=[], reads=Optional.empty]");
  }

  @Test
  void transactions() {
    var response =
        stub.transact(
            TransactRequest.newBuilder()
                .addComparisons(
                    Comparison.newBuilder()
                        .setRange(key("/k"))
                        .setRelation(Comparison.Relation.GREATER)
                        .setVersion(3))
                .addComparisons(Comparison.newBuilder().setRange(key("/k")).setValue(utf8("v")))
                .addComparisons(
                    Comparison.newBuilder()
                        .setLockHeld(
                            Comparison.LockHeld.newBuilder().setKey(utf8("/l")).setToken(4)))
                .addThen(
                    Operation.newBuilder().setPut(Operation.Put.newBuilder().setKey(utf8("/k"))))
                .addThen(
                    Operation.newBuilder()
                        .setDelete(Operation.Delete.newBuilder().setRange(key("/k"))))
                .addThen(
                    Operation.newBuilder()
                        .setGet(Operation.Get.newBuilder().setRange(key("/k")).setLimit(1)))
                .build());
    assertThat(response.getSucceeded()).isTrue();
    assertThat(response.getResults(0).hasDone()).isTrue();
    assertThat(response.getResults(1).getDeleted().getCount()).isEqualTo(2);
    assertThat(response.getResults(2).getFound().getMore()).isTrue();
    assertThat(metastore.asked.getFirst())
        .contains("Property[range=KeyRange[from=/k, to=/k\\x00], field=VERSION, relation=GREATER")
        .contains("Value[range=KeyRange[from=/k, to=/k\\x00], relation=EQUAL, operand=v]")
        .contains("LockHeld[key=/l, token=4]");
  }

  @Test
  void interactiveTransactions() {
    assertThat(stub.begin(BeginRequest.newBuilder().setSession(5).build()).getTransaction())
        .isEqualTo("3:1");
    stub.readIn(ReadInRequest.newBuilder().setTransaction("3:1").setRange(key("/k")).build());
    stub.commit(
        CommitRequest.newBuilder()
            .setOrigin(ORIGIN)
            .setTransaction("3:1")
            .addWrites(Operation.newBuilder().setPut(Operation.Put.newBuilder().setKey(utf8("/k"))))
            .build());
    stub.abort(AbortRequest.newBuilder().setTransaction("3:1").build());
    assertThat(metastore.asked)
        .satisfiesExactly(
            asked -> assertThat(asked).isEqualTo("begin alice 5"),
            asked -> assertThat(asked).startsWith("readIn alice 3:1"),
            asked -> assertThat(asked).startsWith("commit alice@5/9<8 3:1 [] [Put[key=/k"),
            asked -> assertThat(asked).isEqualTo("abort alice 3:1"));
  }

  @Test
  void locksHistoryAndRights() {
    metastore.grant.complete(33L);
    assertThat(
            stub.acquire(
                    AcquireRequest.newBuilder()
                        .setOrigin(ORIGIN)
                        .setKey(utf8("/l"))
                        .setExclusive(true)
                        .setWaitMillis(10)
                        .setDelayMillis(20)
                        .build())
                .getToken())
        .isEqualTo(33);
    stub.release(ReleaseRequest.newBuilder().setOrigin(ORIGIN).setKey(utf8("/l")).build());
    var lock = stub.getLock(GetLockRequest.newBuilder().setKey(utf8("/l")).build());
    assertThat(lock.getHolders(0).getToken()).isEqualTo(2);
    assertThat(lock.getWaitingList()).containsExactly(4L);
    stub.compact(CompactRequest.newBuilder().setRevision(3).build());
    stub.setAcl(
        SetAclRequest.newBuilder()
            .setDirectory("/d")
            .addEntries(AclEntry.newBuilder().setPrincipal("bob").setRead(true))
            .build());
    assertThat(stub.getAcl(GetAclRequest.newBuilder().setPath("/d/k").build()).getEntries(0))
        .returns("*", AclEntry::getPrincipal);
    assertThat(metastore.asked)
        .containsExactly(
            "acquire alice@5/9<8 /l true 10 20",
            "release alice@5/9<8 /l",
            "lock alice /l",
            "compact alice@0/0<0 3",
            "setAcl alice@0/0<0 /d [AclEntry[principal=bob, read=true, write=false]]",
            "acl alice /d/k");
  }

  @Test
  void badRequestsAreRefusedWithAReasonAndNotAsked() {
    assertThat(failure(() -> stub.put(PutRequest.newBuilder().setKey(utf8("a")).build())))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"a\"")
        .hasMessageContaining("must begin with /");
    assertThat(failure(() -> stub.range(RangeRequest.newBuilder().setRange(key("/a/")).build())))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(
            failure(
                () ->
                    stub.range(
                        RangeRequest.newBuilder()
                            .setRange(KeyRange.newBuilder().setFrom(utf8("/b")).setTo(utf8("/a")))
                            .build())))
        .hasMessageContaining("the end must not be before the start");
    assertThat(
            failure(
                () ->
                    stub.range(RangeRequest.newBuilder().setRange(key("/a")).setLimit(-1).build())))
        .hasMessageContaining("limit of -1");
    assertThat(
            failure(
                () ->
                    stub.transact(
                        TransactRequest.newBuilder()
                            .addThen(Operation.getDefaultInstance())
                            .build())))
        .hasMessageContaining("must be a put, a delete or a get");
    assertThat(
            failure(
                () ->
                    stub.transact(
                        TransactRequest.newBuilder()
                            .addComparisons(Comparison.newBuilder().setRange(key("/a")))
                            .build())))
        .hasMessageContaining("comparison without an operand");
    assertThat(
            failure(
                () ->
                    stub.put(
                        PutRequest.newBuilder()
                            .setKey(utf8("/a"))
                            .setOrigin(Origin.newBuilder().setSession(4))
                            .build())))
        .hasMessageContaining("of session 4");
    assertThat(
            failure(
                () ->
                    stub.acquire(
                        AcquireRequest.newBuilder().setKey(utf8("/a")).setWaitMillis(-5).build())))
        .hasMessageContaining("-5 ms");
    assertThat(metastore.asked).isEmpty();
  }

  @Test
  void answersOfTheMetastoreThatAreErrorsArrive() {
    metastore.problem = new ConflictException("somebody was quicker");
    assertThat(failure(() -> stub.put(PutRequest.newBuilder().setKey(utf8("/a")).build())))
        .isInstanceOf(ConflictException.class)
        .hasMessage("somebody was quicker");
  }

  @Test
  void membersAndStatus() {
    StatusResponse status = stub.status(StatusRequest.getDefaultInstance());
    assertThat(status.getRole()).isEqualTo("LEADER");
    assertThat(status.getRevision()).isEqualTo(12);
    assertThat(status.getLeader().getServiceAddress()).isEqualTo("h:2");
    stub.bootstrap(BootstrapRequest.newBuilder().addServiceAddresses("x:1").build());
    stub.addMember(AddMemberRequest.newBuilder().setServiceAddress("x:2").build());
    stub.removeMember(RemoveMemberRequest.newBuilder().setMember("m").build());
    stub.replaceMember(
        ReplaceMemberRequest.newBuilder().setMember("m").setServiceAddress("x:3").build());
    var members = stub.transferLead(TransferLeadRequest.newBuilder().setMember("m").build());
    assertThat(members.getMembers(0).getId()).isEqualTo("a");
    assertThat(admin.asked)
        .containsExactly("bootstrap [x:1]", "add x:2", "remove m", "replace m x:3", "transfer m");
  }

  @Test
  void aServerThatServesNothingYetSaysSo() {
    try (NativeServer waiting = NativeServer.listen("127.0.0.1", 0, channels)) {
      MetastoreBlockingStub asked = as(waiting, "");
      assertThat(failure(() -> asked.status(StatusRequest.getDefaultInstance())))
          .isInstanceOf(NotServingException.class);
      waiting.serve(admin);
      assertThat(asked.status(StatusRequest.getDefaultInstance()).getRole()).isEqualTo("UNFORMED");
      assertThat(failure(() -> asked.put(PutRequest.newBuilder().setKey(utf8("/a")).build())))
          .isInstanceOf(NotServingException.class)
          .hasMessageContaining("waits to be bootstrapped");
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    assertThatThrownBy(() -> NativeServer.listen("127.0.0.1", server.port(), channels))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("127.0.0.1:" + server.port());
  }

  // ---- forwarding

  @Test
  void whatOnlyTheLeaderCanDoIsForwardedWithTheCallersIdentity() {
    FakeMetastore following = new FakeMetastore();
    following.problem = new NotServingException("not I", server.address());
    try (NativeServer follower = NativeServer.listen("127.0.0.1", 0, channels)) {
      follower.serve(following);
      PutResponse response =
          as(follower, "bob")
              .put(PutRequest.newBuilder().setOrigin(ORIGIN).setKey(utf8("/k")).build());
      assertThat(response.getRevision()).isEqualTo(11);
      assertThat(metastore.asked).hasSize(1);
      assertThat(metastore.asked.getFirst()).startsWith("transact bob@5/9<8 ");
    }
  }

  @Test
  void errorsOfTheLeaderArriveThroughAFollower() {
    FakeMetastore following = new FakeMetastore();
    following.problem = new NotServingException("not I", server.address());
    metastore.problem = new ConflictException("somebody was quicker");
    try (NativeServer follower = NativeServer.listen("127.0.0.1", 0, channels)) {
      follower.serve(following);
      assertThat(
              failure(
                  () ->
                      as(follower, "bob").put(PutRequest.newBuilder().setKey(utf8("/k")).build())))
          .isInstanceOf(ConflictException.class)
          .hasMessage("somebody was quicker");
    }
  }

  @Test
  void aCallIsForwardedOnceOnly() {
    // Both believe the other to lead.
    try (NativeServer other = NativeServer.listen("127.0.0.1", 0, channels)) {
      FakeMetastore theirs = new FakeMetastore();
      theirs.problem = new NotServingException("not I", server.address());
      metastore.problem = new NotServingException("not I", other.address());
      other.serve(theirs);
      assertThat(failure(() -> stub.put(PutRequest.newBuilder().setKey(utf8("/k")).build())))
          .isInstanceOfSatisfying(
              NotServingException.class, e -> assertThat(e.hint()).contains(server.address()));
      assertThat(metastore.asked).hasSize(1);
      assertThat(theirs.asked).hasSize(1);
    }
  }

  @Test
  void aLeaderThatCannotBeReachedHasDoneNothing() {
    String gone;
    try (NativeServer stopped = NativeServer.listen("127.0.0.1", 0, channels)) {
      gone = stopped.address();
    }
    metastore.problem = new NotServingException("not I", gone);
    assertThat(failure(() -> stub.put(PutRequest.newBuilder().setKey(utf8("/k")).build())))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining(gone);
  }

  @Test
  void aLeaderThatIsLostWhileItWorksMayHaveDoneIt() {
    try (NativeServer leader = NativeServer.listen("127.0.0.1", 0, channels)) {
      FakeMetastore silent = new FakeMetastore();
      leader.serve(silent);
      metastore.problem = new NotServingException("not I", leader.address());
      CompletableFuture<SteleException> change =
          CompletableFuture.supplyAsync(
              () ->
                  failure(
                      () ->
                          stub.acquire(
                              AcquireRequest.newBuilder()
                                  .setOrigin(ORIGIN)
                                  .setKey(utf8("/l"))
                                  .build())),
              Thread::startVirtualThread);
      await().until(() -> !silent.asked.isEmpty());
      leader.close();
      assertThat(change.join()).isInstanceOf(OutcomeUnknownException.class);
    }
  }

  private void acquireAt(NativeServer asked) {
    var _ =
        MetastoreGrpc.newFutureStub(channels.to(asked.address()))
            .acquire(AcquireRequest.newBuilder().setOrigin(ORIGIN).setKey(utf8("/l")).build());
  }

  @Test
  void aCallerThatIsGoneNoLongerWaitsForALock() {
    Context.CancellableContext context = Context.ROOT.withCancellation();
    context.run(() -> acquireAt(server));
    await().until(() -> !metastore.asked.isEmpty());
    assertThat(metastore.grant).isNotDone();
    context.cancel(null);
    await().until(metastore.grant::isCancelled);
  }

  @Test
  void aCallerThatIsGoneNoLongerWaitsForALockThroughAFollower() {
    FakeMetastore following = new FakeMetastore();
    following.problem = new NotServingException("not I", server.address());
    try (NativeServer follower = NativeServer.listen("127.0.0.1", 0, channels)) {
      follower.serve(following);
      Context.CancellableContext context = Context.ROOT.withCancellation();
      context.run(() -> acquireAt(follower));
      await().until(() -> !metastore.asked.isEmpty());
      context.cancel(null);
      await().until(metastore.grant::isCancelled);
    }
  }

  @Test
  void membershipChangesAreForwardedToo() {
    FakeAdmin following = new FakeAdmin();
    following.problem = new NotServingException("not I", server.address());
    try (NativeServer follower = NativeServer.listen("127.0.0.1", 0, channels)) {
      follower.serve(following);
      as(follower, "").addMember(AddMemberRequest.newBuilder().setServiceAddress("x:2").build());
      assertThat(admin.asked).isEqualTo(List.of("add x:2"));
    }
  }
}
