import io.stele.bench.driver.ClusterDriver;
import io.stele.bench.driver.ClusterStore;
import io.stele.bench.driver.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;

/** HBase with several region servers, through its client and its administration. */
public final class HBaseClusterDriver extends HBaseDriver implements ClusterStore {
  private static final long MOVE_PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_MILLIS = 2;
  private static final int SCAN_ROWS = 1_000;

  private Connection impatient; // kept: what it remembers of a dead server is part of the time

  private HBaseClusterDriver(String zooKeeperPort) {
    super(zooKeeperPort);
  }

  /** The argument is the port of its ZooKeeper. */
  public static void main(String[] arguments) throws Exception {
    ClusterDriver.serve(new HBaseClusterDriver(arguments[0]));
    System.exit(0); // its client may have left threads behind
  }

  private synchronized Connection impatientConnection() throws IOException {
    if (impatient == null) {
      Configuration configuration = impatient();
      impatient = ConnectionFactory.createConnection(configuration);
    }
    return impatient;
  }

  @Override
  public boolean tryWrite(String table, String key) {
    try (Table opened = impatientConnection().getTable(TableName.valueOf(table))) {
      opened.put(
          new Put(bytes(key)).addColumn(FAMILY_BYTES, bytes(Store.field(0)), bytes("probe")));
      return true;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  @Override
  public boolean tryRead(String table, String key) {
    try (Table opened = impatientConnection().getTable(TableName.valueOf(table))) {
      return !opened.get(new Get(bytes(key)).addFamily(FAMILY_BYTES)).isEmpty();
    } catch (IOException e) {
      return false; // not yet
    }
  }

  /** Over a new connection: one that was open may remember a master that is gone for long. */
  @Override
  public boolean tryCreate(String table) {
    try (Connection fresh = ConnectionFactory.createConnection(impatient());
        Admin admin = fresh.getAdmin()) {
      admin.listTableNames(); // an impatient attempt to make one may succeed unnoticed
    } catch (IOException e) {
      return false; // not yet
    }
    try (Admin admin = connection().getAdmin()) {
      admin.createTable(descriptor(table));
      return true;
    } catch (TableExistsException e) {
      return true; // by an attempt whose answer was lost
    } catch (IOException e) {
      return false; // not yet
    }
  }

  @Override
  public long count(String table) throws IOException {
    Scan scan = new Scan();
    scan.addFamily(FAMILY_BYTES);
    scan.setFilter(new FirstKeyOnlyFilter());
    scan.setCaching(SCAN_ROWS);
    long rows = 0;
    try (Table opened = connection().getTable(TableName.valueOf(table));
        ResultScanner results = opened.getScanner(scan)) {
      for (Result result = results.next(); result != null; result = results.next()) {
        rows++;
      }
    }
    return rows;
  }

  @Override
  public List<String> servers() throws IOException {
    List<String> addresses = new ArrayList<>();
    for (ServerName server : living()) {
      addresses.add(server.getAddress().toString());
    }
    return addresses;
  }

  private Collection<ServerName> living() throws IOException {
    try (Admin admin = connection().getAdmin()) {
      return admin
          .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.SERVERS_NAME))
          .getServersName();
    }
  }

  /** The last one that was started there: one that was killed may still be listed beside it. */
  private Optional<ServerName> named(String address) throws IOException {
    return living().stream()
        .filter(server -> server.getAddress().toString().equals(address))
        .max(Comparator.comparingLong(ServerName::getStartCode));
  }

  @Override
  public int tablets(String address) throws IOException {
    Optional<ServerName> server = named(address);
    if (server.isEmpty()) {
      return 0;
    }
    try (Admin admin = connection().getAdmin()) {
      return admin.getRegions(server.get()).size();
    }
  }

  private HRegionLocation location(TableName table, byte[] row) throws IOException {
    try (RegionLocator locator = connection().getRegionLocator(table)) {
      return locator.getRegionLocation(row, true);
    }
  }

  @Override
  public String locate(String table, String row) throws IOException {
    ServerName server = location(TableName.valueOf(table), bytes(row)).getServerName();
    return server == null ? "" : server.getAddress().toString();
  }

  @Override
  public void move(String table, String row, String address) throws Exception {
    move(TableName.valueOf(table), bytes(row), address);
  }

  private void move(TableName table, byte[] row, String address) throws Exception {
    ServerName target = ask(table, row, address);
    long start = System.nanoTime();
    long asked = start;
    while (!target.equals(location(table, row).getServerName())) {
      long now = System.nanoTime();
      if (now - start > MOVE_PATIENCE_NANOS) {
        throw new IllegalStateException(
            location(table, row).getRegion() + " is not at " + address + " after two minutes");
      }
      if (now - asked > ASK_AGAIN_NANOS) { // a server that had just come may have been passed over
        target = ask(table, row, address);
        asked = now;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private ServerName ask(TableName table, byte[] row, String address) throws IOException {
    ServerName target =
        named(address)
            .orElseThrow(() -> new IllegalStateException("no server at " + address + " lives"));
    try (Admin admin = connection().getAdmin()) {
      admin.move(location(table, row).getRegion().getEncodedNameAsBytes(), target);
    }
    return target;
  }

  @Override
  public void moveCatalogOff(String address) throws Exception {
    try (Admin admin = connection().getAdmin()) {
      admin.balancerSwitch(false, true); // or it would undo what is moved here
    }
    for (TableName table :
        List.of(TableName.META_TABLE_NAME, TableName.valueOf("hbase:namespace"))) {
      if (!exists(table)) {
        continue;
      }
      ServerName server = location(table, new byte[0]).getServerName();
      if (server != null && server.getAddress().toString().equals(address)) {
        String other =
            servers().stream()
                .filter(each -> !each.equals(address))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is one server: must be two"));
        move(table, new byte[0], other);
      }
    }
  }

  private boolean exists(TableName table) throws IOException {
    try (Admin admin = connection().getAdmin()) {
      return admin.tableExists(table);
    }
  }

  @Override
  public void spread() throws IOException {
    try (Admin admin = connection().getAdmin()) {
      admin.balancerSwitch(true, true);
      admin.balance();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (impatient != null) {
      impatient.close();
    }
    super.close();
  }
}
