import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminSettings;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.Filters;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.RowMutationEntry;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.bench.driver.Driver;
import io.stele.bench.driver.Probe;
import io.stele.bench.driver.Store;
import java.io.IOException;
import java.util.List;

/**
 * A server of Bigtable's API through Google's client: one client for all threads, as its manual has
 * it, which asks for the newest version of each field, as YCSB's own binding does. A process of its
 * own, with that client's class path.
 */
public class BigtableDriver implements Store {
  private static final String PROJECT = "bench";
  private static final String INSTANCE = "bench";
  private static final Filters.Filter NEWEST =
      Filters.FILTERS
          .chain()
          .filter(Filters.FILTERS.family().exactMatch(FAMILY))
          .filter(Filters.FILTERS.limit().cellsPerColumn(1));

  private final String host;
  private final int port;
  private BigtableDataClient data; // made when it is first needed: the server may be starting
  private BigtableTableAdminClient admin;

  BigtableDriver(String address) {
    int colon = address.lastIndexOf(':');
    this.host = address.substring(0, colon);
    this.port = Integer.parseInt(address.substring(colon + 1));
  }

  /** The argument is the server's host and port. */
  public static void main(String[] arguments) throws Exception {
    Driver.serve(new BigtableDriver(arguments[0]));
    System.exit(0); // its client may have left threads behind
  }

  private synchronized BigtableDataClient data() throws IOException {
    if (data == null) {
      data =
          BigtableDataClient.create(
              BigtableDataSettings.newBuilderForEmulator(host, port)
                  .setProjectId(PROJECT)
                  .setInstanceId(INSTANCE)
                  .build());
    }
    return data;
  }

  private synchronized BigtableTableAdminClient admin() throws IOException {
    if (admin == null) {
      admin =
          BigtableTableAdminClient.create(
              BigtableTableAdminSettings.newBuilderForEmulator(host, port)
                  .setProjectId(PROJECT)
                  .setInstanceId(INSTANCE)
                  .build());
    }
    return admin;
  }

  @Override
  public boolean listens() {
    return Probe.listens(host + ":" + port);
  }

  @Override
  public void create(String table, List<String> splits) throws IOException {
    CreateTableRequest request =
        CreateTableRequest.of(table).addFamily(FAMILY, GCRules.GCRULES.maxVersions(1));
    splits.forEach(split -> request.addSplit(ByteString.copyFromUtf8(split)));
    admin().createTable(request);
  }

  @Override
  public void drop(String table) throws IOException {
    admin().deleteTable(table);
  }

  /** The API knows no such thing. */
  @Override
  public void flush(String table) {}

  private static ByteString field(int number) {
    return ByteString.copyFromUtf8(Store.field(number));
  }

  private static ByteString value(byte[] value) {
    return UnsafeByteOperations.unsafeWrap(value);
  }

  @Override
  public void insert(String table, String key, byte[][] fields) throws IOException {
    RowMutation mutation = RowMutation.create(table, key);
    for (int i = 0; i < fields.length; i++) {
      mutation.setCell(FAMILY, field(i), value(fields[i]));
    }
    data().mutateRow(mutation);
  }

  @Override
  public void insertAll(String table, List<String> keys, List<byte[][]> records)
      throws IOException {
    BulkMutation bulk = BulkMutation.create(table);
    for (int row = 0; row < keys.size(); row++) {
      RowMutationEntry entry = RowMutationEntry.create(keys.get(row));
      byte[][] fields = records.get(row);
      for (int i = 0; i < fields.length; i++) {
        entry.setCell(FAMILY, field(i), value(fields[i]));
      }
      bulk.add(entry);
    }
    data().bulkMutateRows(bulk);
  }

  @Override
  public void update(String table, String key, int field, byte[] value) throws IOException {
    data().mutateRow(RowMutation.create(table, key).setCell(FAMILY, field(field), value(value)));
  }

  @Override
  public int read(String table, String key) throws IOException {
    Row row = data().readRow(table, key, NEWEST);
    return row == null ? 0 : row.getCells().size();
  }

  @Override
  public Found scan(String table, String start, int rows) throws IOException {
    Query query =
        Query.create(table).range(ByteString.copyFromUtf8(start), null).limit(rows).filter(NEWEST);
    int found = 0;
    int fields = 0;
    for (Row row : data().readRows(query)) {
      found++;
      fields += row.getCells().size();
    }
    return new Found(found, fields);
  }

  @Override
  public boolean tryRead(String table, String key) {
    try {
      return read(table, key) > 0;
    } catch (IOException | RuntimeException e) {
      return false; // not yet
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (data != null) {
      data.close();
    }
    if (admin != null) {
      admin.close();
    }
  }
}
