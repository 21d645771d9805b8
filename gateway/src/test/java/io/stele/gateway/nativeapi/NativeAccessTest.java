package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.gateway.etcd.EtcdGateway;
import io.stele.gateway.security.PortSecurity;
import io.stele.protocol.tls.GrpcTls;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.PutRequest;
import io.stele.protocol.wire.WireHeaders;
import io.stele.testkit.tls.TestCertificates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who may call what at the native port: every method of every service, by everybody. A method that
 * is in neither list fails the test: whoever adds one decides here for whom it is.
 */
class NativeAccessTest {
  /** Of the servers for each other. */
  private static final String FOR_NODES =
      """
      stele.v1.MetastorePeer: CurrentTerm Checkpoint Identify Reserve Unreserve Form Fingerprint
      stele.v1.TabletControl: LoadTablets UnloadTablets JoinTablets SplitTabletHere ReloadSchema
        TruncateHere SnapshotHere FlushHere CompactHere ListTabletsHere ApplyMeta Report
      stele.v1.ReplicaPeer: FetchMetadata StoreMetadata DropMetadata ChangeMetadata MetadataChanged
        JoinMetadata AdoptTables Push Pushes Progress StoredCells Digests FillReplica RepairReplica
        SplitHere Upkeep
      """;

  /** Of everybody with a certificate; etcd's look at their own users after that. */
  private static final String FOR_CLIENTS =
      """
      stele.v1.Metastore: OpenSession KeepAlive CloseSession Range List Put Delete Transact Begin
        ReadIn Commit Abort Acquire Release GetLock Watch Compact SetAcl GetAcl Status Bootstrap
        AddMember RemoveMember ReplaceMember TransferLead Backup Restore
      stele.v1.TableData: Exchange ScanTable DeleteRows Truncate SampleRows LocateTablets
      stele.v1.TableAdmin: CreateTable ListTables GetSchema ListTablets AlterTable DropTable
        CopyTable SplitTablet JoinTablet FlushTable CompactTable VerifyMeta RepairMeta
        LoadFixedTable UnloadTable LoadTable SetMetaLocation
      stele.v1.Cluster: Status Balance Drain MoveTablet CollectFiles ListTrash RestoreFiles
        EmptyTrash
      stele.v1.Replicas: Status Metadata JoinMetadataServer RemoveMetadataServer RemoveLostServer
        AdoptTables Split Verify Repair
      stele.v1.Node: Inspect
      stele.v1.Datasets: ListDatasets LookUp DatasetStatus RefreshDatasets PinDataset
        RollBackDataset
      grpc.health.v1.Health: Check Watch
      etcdserverpb.KV: Range RangeStream Put DeleteRange Txn Compact
      etcdserverpb.Watch: Watch
      etcdserverpb.Lease: LeaseGrant LeaseRevoke LeaseKeepAlive LeaseTimeToLive LeaseLeases
      etcdserverpb.Cluster: MemberAdd MemberRemove MemberUpdate MemberList MemberPromote
      etcdserverpb.Maintenance: Alarm Status Defragment Hash HashKV Snapshot MoveLeader Downgrade
      etcdserverpb.Auth: AuthEnable AuthDisable AuthStatus Authenticate UserAdd UserGet UserList
        UserDelete UserChangePassword UserGrantRole UserRevokeRole RoleAdd RoleGet RoleList
        RoleDelete RoleGrantPermission RoleRevokePermission
      v3lockpb.Lock: Lock Unlock
      v3electionpb.Election: Campaign Proclaim Leader Observe Resign
      """;

  /** Bytes as they are: whatever a method takes, an empty message is one. */
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  @TempDir private Path folder;

  private final FakeMetastore metastore = new FakeMetastore();
  private final List<ManagedChannel> opened = new ArrayList<>();
  private TestCertificates certificates;
  private Channels channels;
  private EtcdGateway etcd;
  private NativeServer server;

  @BeforeEach
  void listen() {
    certificates = new TestCertificates(folder);
    Tls tls = Tls.open(certificates.node("db1"));
    channels = new Channels(Optional.of(tls.amongNodes(Identities.DEFAULT)));
    etcd = new EtcdGateway(channels);
    etcd.serveHealth(() -> true);
    server = listen(tls, ClientCertificates.REQUIRED);
    server.serve(metastore);
  }

  private NativeServer listen(Tls tls, ClientCertificates clients) {
    return NativeServer.listen(
        "127.0.0.1",
        0,
        OptionalInt.empty(),
        channels,
        etcd,
        Optional.of(new PortSecurity(tls, clients, Identities.DEFAULT)));
  }

  @AfterEach
  void close() {
    opened.forEach(ManagedChannel::shutdownNow);
    server.close();
    etcd.close();
    channels.close();
  }

  private ManagedChannel connect(NativeServer to, Optional<Tls> tls) {
    NettyChannelBuilder builder = NettyChannelBuilder.forAddress("127.0.0.1", to.port());
    ManagedChannel channel =
        tls.map(secure -> builder.sslContext(GrpcTls.client(secure)))
            .orElseGet(builder::usePlaintext)
            .build();
    opened.add(channel);
    return channel;
  }

  private ManagedChannel as(TlsFiles files) {
    return connect(server, Optional.of(Tls.open(files)));
  }

  private static Set<String> methods(String table) {
    return Arrays.stream(table.replaceAll("\\n {2}", " ").split("\\n"))
        .map(line -> line.split(": +"))
        .flatMap(service -> Arrays.stream(service[1].split(" +")).map(m -> service[0] + "/" + m))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private List<MethodDescriptor<?, ?>> allMethods() {
    return server.services().stream()
        .flatMap(service -> service.getMethods().stream())
        .<MethodDescriptor<?, ?>>map(ServerMethodDefinition::getMethodDescriptor)
        .toList();
  }

  /** What becomes of a call: an error, or OK. */
  private static Status call(ManagedChannel channel, MethodDescriptor<?, ?> method) {
    MethodDescriptor<byte[], byte[]> raw =
        MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
            .setFullMethodName(method.getFullMethodName())
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .build();
    try {
      // One that waits, such as a watch, has been let in as well.
      ClientCalls.blockingServerStreamingCall(
              channel, raw, CallOptions.DEFAULT.withDeadlineAfter(2, TimeUnit.SECONDS), new byte[0])
          .hasNext();
      return Status.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  private static boolean isRefused(Status status) {
    return status.getCode() == Status.Code.PERMISSION_DENIED;
  }

  private Set<String> refused(ManagedChannel channel) {
    return allMethods().parallelStream()
        .filter(method -> isRefused(call(channel, method)))
        .map(MethodDescriptor::getFullMethodName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyMethodIsInOneList() {
    Set<String> listed =
        Stream.of(methods(FOR_NODES), methods(FOR_CLIENTS))
            .flatMap(Set::stream)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(allMethods().stream().map(MethodDescriptor::getFullMethodName))
        .containsExactlyInAnyOrderElementsOf(listed);
  }

  @Test
  void aUserIsKeptFromWhatIsForNodes() {
    assertThat(refused(as(certificates.user("ann")))).containsExactlyElementsOf(methods(FOR_NODES));
  }

  @Test
  void aNodeIsLetInEverywhere() {
    assertThat(refused(as(certificates.node("db2")))).isEmpty();
  }

  @Test
  void whoDoesNotProveWhoItIsReachesNothing() {
    List<ManagedChannel> nobodies =
        List.of(
            connect(server, Optional.empty()),
            as(certificates.anonymous()),
            as(certificates.stranger("db2")),
            connect(server, Optional.of(certificates.expired("db2"))));
    for (ManagedChannel nobody : nobodies) {
      for (MethodDescriptor<?, ?> method : allMethods()) {
        Status status = call(nobody, method);
        assertThat(status.getCode())
            .as(method.getFullMethodName())
            .isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription())
            .as("the connection's words, not the server's")
            .containsAnyOf("io exception", "Network closed", "ssl exception", "Connection closed");
      }
    }
    assertThat(metastore.asked).isEmpty();
  }

  @Test
  void whereCertificatesAreOptionalWhoHasNoneIsNobodyAndNoNode() {
    try (NativeServer open =
        listen(Tls.open(certificates.node("db3")), ClientCertificates.OPTIONAL)) {
      assertThat(refused(connect(open, Optional.of(Tls.open(certificates.anonymous())))))
          .containsExactlyElementsOf(methods(FOR_NODES));
      assertThat(
              call(
                      connect(open, Optional.of(Tls.open(certificates.stranger("db2")))),
                      MetastoreGrpc.getStatusMethod())
                  .getCode())
          .as("a certificate that is bad is worse than none")
          .isEqualTo(Status.Code.UNAVAILABLE);
    }
  }

  // ---- on whose behalf

  /** Puts a key, and returns the principal that the metastore was told, or the refusal. */
  private String putAs(ManagedChannel channel, String claimed) {
    Metadata headers = new Metadata();
    if (!claimed.isEmpty()) {
      headers.put(WireHeaders.PRINCIPAL, claimed);
    }
    metastore.asked.clear();
    try {
      var _ =
          MetastoreGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
              .put(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("/a")).build());
      return metastore.asked.getLast();
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode() + ": " + e.getStatus().getDescription();
    }
  }

  @Test
  void aUserIsWhomItsCertificateNames() {
    ManagedChannel ann = as(certificates.user("ann"));
    assertThat(putAs(ann, "")).contains("ann");
    assertThat(putAs(ann, "ann")).contains("ann");
    assertThat(putAs(ann, "bob"))
        .isEqualTo(
            "PERMISSION_DENIED: user ann asks on behalf of bob: must ask for itself, and prove who"
                + " it is by a certificate");
    assertThat(metastore.asked).isEmpty();
  }

  @Test
  void aNodeAsksOnBehalfOfOthers() {
    ManagedChannel node = as(certificates.node("db2"));
    assertThat(putAs(node, "bob")).contains("bob");
    assertThat(putAs(node, "")).doesNotContain("bob").doesNotContain("db2");
  }
}
