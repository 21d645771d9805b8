package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.stele.client.Stele;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseGrantResponse;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LockGrpc;
import io.stele.protocol.etcd.LockRequest;
import io.stele.protocol.etcd.LockResponse;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.PutResponse;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.StatusRequest;
import io.stele.protocol.etcd.TxnRequest;
import io.stele.protocol.etcd.TxnResponse;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** etcd's clients at a member of three whose leader goes away: they wait for the next one. */
@Timeout(120)
class EtcdElectionTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(2);

  @TempDir Path folder;

  private final class Running {
    private final String name;
    private final List<String> flags;
    private TestServer server;
    private ManagedChannel channel;

    Running(String name, Duration patience) throws IOException {
      this.name = name;
      this.flags =
          List.of(
              "server.port=" + FreePorts.next(),
              "server.raft-port=" + FreePorts.next(),
              "server.roles=metastore",
              "server.await=true",
              "etcd.port=0",
              "etcd.request-timeout=" + patience.toSeconds() + "s",
              "metastore.raft.election-min=500ms",
              "metastore.raft.election-max=1s",
              "metastore.raft.request=1s");
      start();
    }

    void start() throws IOException {
      server = TestServer.start(folder.resolve(name), flags.toArray(String[]::new));
      channel =
          ManagedChannelBuilder.forTarget(server.server().addresses().etcdAddress())
              .usePlaintext()
              .build();
    }

    void close() {
      channel.shutdownNow();
      server.close();
    }

    /** Its id in etcd's numbers; 0 for none. */
    long leader() {
      return MaintenanceGrpc.newBlockingStub(channel)
          .status(StatusRequest.getDefaultInstance())
          .getLeader();
    }
  }

  private final List<Running> members = new ArrayList<>();

  private void startThree() throws IOException {
    members.add(new Running("a", SHORT));
    members.add(new Running("b", LONG));
    members.add(new Running("c", SHORT));
    List<String> addresses = members.stream().map(member -> member.server.address()).toList();
    try (Stele stele = Stele.connect(addresses.getFirst())) {
      stele.metastore().admin().bootstrap(addresses);
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreException(StatusRuntimeException.class)
        .until(() -> members.stream().allMatch(member -> member.leader() != 0));
  }

  @AfterEach
  void stop() {
    members.parallelStream().forEach(Running::close);
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static PutRequest put(String key) {
    return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes("value")).build();
  }

  private static RangeRequest range(String key) {
    return RangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  private static RangeRequest stale(String key) {
    return range(key).toBuilder().setSerializable(true).build();
  }

  /** Creates a key unless it is there. */
  private static TxnRequest create(String key) {
    return TxnRequest.newBuilder()
        .addCompare(
            Compare.newBuilder()
                .setKey(bytes(key))
                .setTarget(Compare.CompareTarget.CREATE)
                .setCreateRevision(0))
        .addSuccess(RequestOp.newBuilder().setRequestPut(put(key)))
        .build();
  }

  @Test
  void requestsWaitForTheNextLeaderAndFailInTimeWithoutOne() throws Exception {
    startThree();
    Running patient = members.get(1);
    Running impatient = members.get(2);
    KVGrpc.KVFutureStub keys = KVGrpc.newFutureStub(patient.channel);
    keys.put(put("before")).get();
    await("that it has it").until(() -> keys.range(stale("before")).get().getKvsCount() == 1);

    List.of(members.getFirst(), impatient).parallelStream().forEach(Running::close);
    await("that it knows of no leader").until(() -> patient.leader() == 0);
    LeaseGrantRequest minute = LeaseGrantRequest.newBuilder().setTTL(60).build();
    LockRequest named = LockRequest.newBuilder().setName(bytes("lock")).build();
    ListenableFuture<PutResponse> put = keys.put(put("put"));
    ListenableFuture<TxnResponse> transaction = keys.txn(create("created"));
    ListenableFuture<RangeResponse> read = keys.range(range("before"));
    ListenableFuture<LeaseGrantResponse> lease =
        LeaseGrpc.newFutureStub(patient.channel).leaseGrant(minute);
    ListenableFuture<LockResponse> lock = LockGrpc.newFutureStub(patient.channel).lock(named);
    assertThat(keys.range(stale("before")).get().getKvsCount())
        .as("what this member has needs no leader")
        .isEqualTo(1);
    assertThat(Stream.of(put, transaction, read, lease, lock)).noneMatch(Future::isDone);

    impatient.start();
    assertThat(put.get(30, TimeUnit.SECONDS).getHeader().getRevision()).isPositive();
    assertThat(transaction.get(30, TimeUnit.SECONDS).getSucceeded()).isTrue();
    assertThat(read.get(30, TimeUnit.SECONDS).getKvsCount()).isEqualTo(1);
    assertThat(lease.get(30, TimeUnit.SECONDS).getTTL()).isEqualTo(60);
    assertThat(lock.get(30, TimeUnit.SECONDS).getKey().isEmpty()).isFalse();
    for (String key : List.of("put", "created")) {
      assertThat(keys.range(range(key)).get().getKvs(0).getVersion()).as("puts").isEqualTo(1);
    }

    patient.close();
    KVGrpc.KVBlockingStub alone = KVGrpc.newBlockingStub(impatient.channel);
    await("that it knows of no leader").until(() -> impatient.leader() == 0);
    long start = System.nanoTime();
    assertThatThrownBy(() -> alone.put(put("never")))
        .hasMessage("UNAVAILABLE: etcdserver: request timed out");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, SHORT.plusSeconds(5));
    Metadata requiresLeader = new Metadata();
    requiresLeader.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
    assertThatThrownBy(
            () ->
                alone
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(requiresLeader))
                    .range(range("before")))
        .hasMessage("UNAVAILABLE: etcdserver: no leader");
  }
}
