package io.stele.bench.cluster;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.Cluster;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TabletInfo;
import io.stele.bench.driver.ClusterDriver;
import io.stele.bench.driver.ClusterStore;
import io.stele.bench.table.SteleStore;
import io.stele.client.Stele;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.table.Row;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import io.stele.protocol.v1.LocateTabletsRequest;
import io.stele.protocol.v1.LocateTabletsResponse;
import io.stele.protocol.v1.TableDataGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A cluster of Stele through its Java client, and through the native protocol past its cache. */
final class SteleClusterStore extends SteleStore implements ClusterStore {
  private static final List<String> CATALOG = List.of("META0", "META1");

  private final Stele impatient; // kept: what it remembers of a dead server is part of the time
  private final Stele metastore;
  private final ManagedChannel channel;

  private SteleClusterStore(List<String> nodes, List<String> members, String steady) {
    super(nodes);
    this.impatient = Stele.builder().endpoints(nodes).timeout(SHORT).connect();
    this.metastore = Stele.builder().endpoints(members).connect();
    this.channel = NettyChannelBuilder.forTarget(steady).usePlaintext().directExecutor().build();
  }

  /**
   * The driver's program. Arguments: addresses of tablet servers and masters with commas between,
   * those of the metastore's members, and that of a tablet server that is there all the time.
   */
  public static void main(String[] arguments) throws Exception {
    ClusterDriver.serve(
        new SteleClusterStore(
            List.of(arguments[0].split(",", -1)),
            List.of(arguments[1].split(",", -1)),
            arguments[2]));
  }

  @Override
  public boolean tryWrite(String table, String key) {
    try {
      impatient
          .table(table)
          .mutate(
              RowMutation.of(key).put(FAMILY_BYTES, QUALIFIERS.getFirst(), Bytes.utf8("probe")));
      return true;
    } catch (SteleException e) {
      return false; // not yet
    }
  }

  @Override
  public boolean tryRead(String table, String key) {
    try {
      return impatient.table(table).get(key).isPresent();
    } catch (SteleException e) {
      return false; // not yet
    }
  }

  @Override
  public boolean tryCreate(String table) {
    try {
      impatient.tables().create(table, schema(), List.of());
      return true;
    } catch (ConflictException e) {
      return true; // by an attempt whose answer was lost
    } catch (SteleException e) {
      return false; // not yet
    }
  }

  @Override
  public long count(String table) {
    ReadPredicate oneField =
        ReadPredicate.ALL
            .withColumns(ColumnRange.column(FAMILY_BYTES, QUALIFIERS.getFirst()))
            .withHistory(1);
    long rows = 0;
    try (RowScan scan = stele().table(table).scan(oneField, ScanOptions.DEFAULT)) {
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        rows++;
      }
    }
    return rows;
  }

  @Override
  public List<String> servers() {
    List<String> addresses = new ArrayList<>();
    for (KeyValue server : metastore.metastore().range(Keys.prefix("/stele/servers/"))) {
      addresses.add(server.text());
    }
    return addresses;
  }

  @Override
  public int tablets(String address) {
    return stele().cluster().status().servers().stream()
        .filter(server -> server.address().equals(address))
        .mapToInt(Cluster.ServerStatus::tablets)
        .sum();
  }

  @Override
  public String locate(String table, String row) {
    LocateTabletsResponse found =
        TableDataGrpc.newBlockingStub(channel)
            .locateTablets(
                LocateTabletsRequest.newBuilder()
                    .setTable(table)
                    .setRow(UnsafeByteOperations.unsafeWrap(Bytes.utf8(row).toArray()))
                    .setMost(1)
                    .build());
    return found.getTablets(0).getAddress();
  }

  @Override
  public void move(String table, String row, String address) {
    var _ = stele().cluster().move(table, Bytes.utf8(row), address);
  }

  @Override
  public void moveCatalogOff(String address) {
    for (String table : CATALOG) {
      for (TabletInfo tablet : stele().tables().tablets(table)) {
        if (tablet.location().equals(address)) {
          Bytes row = tablet.last().orElse(tablet.first().successor());
          var _ = stele().cluster().move(table, row, otherThan(address));
        }
      }
    }
  }

  private String otherThan(String address) {
    return servers().stream()
        .filter(each -> !each.equals(address))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("there is one server: must be two"));
  }

  @Override
  public void spread() {
    var _ = stele().cluster().balance(true);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    impatient.close();
    metastore.close();
    super.close();
  }
}
