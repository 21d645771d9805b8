package io.stele.gateway.bigtable.data;

import com.google.bigtable.v2.BigtableGrpc;
import com.google.bigtable.v2.BigtableGrpc.BigtableBlockingStub;
import com.google.bigtable.v2.FeatureFlags;
import com.google.bigtable.v2.MutateRowRequest;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.ReadRowsRequest;
import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.RowFilter;
import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.call.BigtableCalls;
import io.stele.gateway.bigtable.call.ClientFeatures;
import io.stele.gateway.bigtable.data.RowAssembler.ReadCell;
import io.stele.gateway.bigtable.write.FamilyTypes;
import io.stele.tables.TabletServer;
import io.stele.tables.meta.RootStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Bigtable's data service over a tablet server in memory, and a client of it. */
public final class DataFixture implements AutoCloseable {
  public static final String INSTANCE = "projects/p/instances/i";
  public static final String TABLE = INSTANCE + "/tables/t";
  private static final int MAX_MESSAGE_BYTES = 256 << 20;

  /** What the service's clock says. */
  public final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);

  public final TabletServer tables;
  public final BigtableBlockingStub stub;
  public final ManagedChannel channel;
  private final MemoryFileStore files = new MemoryFileStore();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final DataBackend backend;
  private final List<Server> servers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();

  public DataFixture(String... families) {
    this(FamilyTypes.PLAIN, families);
  }

  public DataFixture(FamilyTypes types, String... families) {
    tables = TabletServer.builder(files, new MemoryRoot()).open();
    tables.awaitLoaded();
    tables.create(
        "t",
        new TableSchema(
            Arrays.stream(families).map(name -> GroupSchema.of(name, List.of(name))).toList()),
        List.of());
    backend = new DataBackend(tables, tables, types, clock(), new Random(7));
    channel = serve();
    stub = BigtableGrpc.newBlockingStub(channel).withInterceptors(reverseScans());
  }

  /** A client of another service over the same tables, as there are several in a cluster. */
  public BigtableBlockingStub another() {
    return BigtableGrpc.newBlockingStub(serve());
  }

  private ManagedChannel serve() {
    Server server;
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
              .directExecutor()
              .maxInboundMessageSize(MAX_MESSAGE_BYTES)
              .intercept(new ClientFeatures())
              .addService(new DataService(backend, new BigtableCalls(threads)))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    servers.add(server);
    ManagedChannel client =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .build();
    channels.add(client);
    return client;
  }

  private Clock clock() {
    return new Clock() {
      @Override
      public long micros() {
        return micros.get();
      }

      @Override
      public long nanos() {
        return Clock.system().nanos();
      }
    };
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    servers.forEach(Server::shutdownNow);
    threads.shutdownNow();
    try {
      for (Server server : servers) {
        server.awaitTermination(10, TimeUnit.SECONDS);
      }
      for (ManagedChannel client : channels) {
        client.awaitTermination(10, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tables.close();
  }

  private static final class MemoryRoot implements RootStore {
    private Optional<Root> root = Optional.empty();
    private Optional<UUID> id = Optional.empty();

    @Override
    public synchronized Optional<Root> load() {
      return root;
    }

    @Override
    public synchronized long save(Bytes config, long expected) {
      long version = root.map(Root::version).orElse(0L);
      if (version != expected) {
        throw new ConflictException("version " + version + " is kept, not " + expected);
      }
      root = Optional.of(new Root(config, version + 1));
      return version + 1;
    }

    @Override
    public synchronized Optional<UUID> identity() {
      return id;
    }

    @Override
    public synchronized UUID identify(UUID proposed) {
      id = id.or(() -> Optional.of(proposed));
      return id.get();
    }
  }

  /** What a client says that reads rows backwards. */
  static ClientInterceptor reverseScans() {
    Metadata headers = new Metadata();
    FeatureFlags flags = FeatureFlags.newBuilder().setReverseScans(true).build();
    headers.put(ClientFeatures.HEADER, Base64.getUrlEncoder().encodeToString(flags.toByteArray()));
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  // ---- a client's requests

  public static ByteString utf8(String text) {
    return ByteString.copyFromUtf8(text);
  }

  public static Mutation set(String family, String qualifier, long timestamp, String value) {
    return set(family, qualifier, timestamp, utf8(value));
  }

  public static Mutation set(String family, String qualifier, long timestamp, ByteString value) {
    return Mutation.newBuilder()
        .setSetCell(
            Mutation.SetCell.newBuilder()
                .setFamilyName(family)
                .setColumnQualifier(utf8(qualifier))
                .setTimestampMicros(timestamp)
                .setValue(value))
        .build();
  }

  public void mutate(String row, Mutation... mutations) {
    stub.mutateRow(mutation(row, mutations));
  }

  public static MutateRowRequest mutation(String row, Mutation... mutations) {
    return MutateRowRequest.newBuilder()
        .setTableName(TABLE)
        .setRowKey(utf8(row))
        .addAllMutations(List.of(mutations))
        .build();
  }

  public static ReadRowsRequest.Builder query() {
    return ReadRowsRequest.newBuilder().setTableName(TABLE);
  }

  public List<ReadCell> read(RowFilter.Builder filter) {
    return read(query().setFilter(filter));
  }

  public List<ReadCell> read(ReadRowsRequest.Builder request) {
    RowAssembler rows = new RowAssembler(request.getReversed());
    Iterator<ReadRowsResponse> responses = stub.readRows(request.build());
    responses.forEachRemaining(rows::add);
    return rows.finish();
  }

  /** Cells in few words. */
  public List<String> texts(ReadRowsRequest.Builder request) {
    return read(request).stream().map(ReadCell::toString).toList();
  }
}
