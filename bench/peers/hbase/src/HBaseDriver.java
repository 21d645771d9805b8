import io.stele.bench.driver.Driver;
import io.stele.bench.driver.Probe;
import io.stele.bench.driver.Store;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * HBase through its own client: one connection for all threads, a table object for each call, as
 * its manual has it. A process of its own, with HBase's class path and Java.
 */
public class HBaseDriver implements Store {
  static final byte[] FAMILY_BYTES = bytes(FAMILY);

  private final String zooKeeperPort;
  private Connection connection; // made when it is first needed: the server may be starting

  HBaseDriver(String zooKeeperPort) {
    this.zooKeeperPort = zooKeeperPort;
  }

  final synchronized Connection connection() throws IOException {
    if (connection == null) {
      connection = ConnectionFactory.createConnection(configuration());
    }
    return connection;
  }

  /** The argument is the port of its ZooKeeper. */
  public static void main(String[] arguments) throws Exception {
    Driver.serve(new HBaseDriver(arguments[0]));
    System.exit(0); // its client may have left threads behind
  }

  private Configuration configuration() {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", "127.0.0.1");
    configuration.set("hbase.zookeeper.property.clientPort", zooKeeperPort);
    return configuration;
  }

  /** For a server that may not be there: no waiting between attempts, of which there is one. */
  final Configuration impatient() {
    Configuration configuration = configuration();
    configuration.set("hbase.client.retries.number", "1");
    configuration.set("hbase.client.pause", "50");
    String attempt = Integer.toString(Probe.ATTEMPT_MILLIS);
    configuration.set("hbase.rpc.timeout", attempt);
    configuration.set("hbase.client.operation.timeout", attempt);
    configuration.set("hbase.client.meta.operation.timeout", attempt);
    configuration.set("zookeeper.recovery.retry", "0");
    return configuration;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Table table(String name) throws IOException {
    return connection().getTable(TableName.valueOf(name));
  }

  @Override
  public boolean listens() {
    return Probe.listens("127.0.0.1:" + zooKeeperPort);
  }

  @Override
  public void create(String table, List<String> splits) throws IOException {
    byte[][] ends = splits.stream().map(HBaseDriver::bytes).toArray(byte[][]::new);
    try (Admin admin = connection().getAdmin()) {
      admin.createTable(descriptor(table), ends);
    }
  }

  static TableDescriptor descriptor(String table) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(table))
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY_BYTES)
                .setBloomFilterType(BloomType.ROW)
                .setMaxVersions(1)
                .build())
        .build();
  }

  @Override
  public void drop(String table) throws IOException {
    try (Admin admin = connection().getAdmin()) {
      admin.disableTable(TableName.valueOf(table));
      admin.deleteTable(TableName.valueOf(table));
    }
  }

  @Override
  public void flush(String table) throws IOException {
    try (Admin admin = connection().getAdmin()) {
      admin.flush(TableName.valueOf(table));
    }
  }

  @Override
  public void insert(String table, String key, byte[][] fields) throws IOException {
    try (Table opened = table(table)) {
      opened.put(put(key, fields));
    }
  }

  @Override
  public void insertAll(String table, List<String> keys, List<byte[][]> records)
      throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      puts.add(put(keys.get(i), records.get(i)));
    }
    try (Table opened = table(table)) {
      opened.put(puts);
    }
  }

  private static Put put(String key, byte[][] fields) {
    Put put = new Put(bytes(key));
    for (int i = 0; i < fields.length; i++) {
      put.addColumn(FAMILY_BYTES, bytes(Store.field(i)), fields[i]);
    }
    return put;
  }

  @Override
  public void update(String table, String key, int field, byte[] value) throws IOException {
    Put put = new Put(bytes(key));
    put.addColumn(FAMILY_BYTES, bytes(Store.field(field)), value);
    try (Table opened = table(table)) {
      opened.put(put);
    }
  }

  @Override
  public int read(String table, String key) throws IOException {
    try (Table opened = table(table)) {
      return opened.get(new Get(bytes(key)).addFamily(FAMILY_BYTES)).size();
    }
  }

  @Override
  public Found scan(String table, String start, int rows) throws IOException {
    Scan scan = new Scan();
    scan.withStartRow(bytes(start));
    scan.setLimit(rows);
    scan.setCaching(rows);
    scan.addFamily(FAMILY_BYTES);
    scan.setReadType(Scan.ReadType.PREAD);
    int found = 0;
    int fields = 0;
    try (Table opened = table(table);
        ResultScanner results = opened.getScanner(scan)) {
      for (Result result = results.next(); result != null; result = results.next()) {
        found++;
        fields += result.size();
      }
    }
    return new Found(found, fields);
  }

  @Override
  public boolean tryRead(String table, String key) {
    try (Connection fresh = ConnectionFactory.createConnection(impatient());
        Table opened = fresh.getTable(TableName.valueOf(table))) {
      return !opened.get(new Get(bytes(key)).addFamily(FAMILY_BYTES)).isEmpty();
    } catch (IOException e) {
      return false; // not yet
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (connection != null) {
      connection.close();
    }
  }
}
