package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletLocation;
import io.stele.base.table.TabletLocator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Several {@link MemoryTables}, each of which has some of the tablets and transactions of its own.
 * For tests of those who must find the right one.
 *
 * <pre>{@code
 * MemoryCluster cluster = new MemoryCluster();
 * cluster.add("127.0.0.1:1001");
 * cluster.add("127.0.0.1:1002");
 * cluster.create("t", schema, List.of(bytes("m"))); // up to m at the first, the rest at the second
 * cluster.move("t", bytes("a"), "127.0.0.1:1002");
 * }</pre>
 */
public final class MemoryCluster implements TabletLocator, TableAdmin {
  private static final int ACTIVE = 5;

  private final Map<String, MemoryTables> servers = new LinkedHashMap<>(); // guarded by this
  private final NavigableMap<String, List<TabletLocation>> tables = new TreeMap<>(); // likewise
  private final AtomicInteger lookups = new AtomicInteger();

  /** Adds a server without tablets; returns what it serves. */
  public synchronized Tables add(String address) {
    MemoryTables made = new MemoryTables();
    for (String table : tables.keySet()) {
      made.create(table, schema(table), List.of());
    }
    servers.put(address, made);
    return new MemoryTabletServer(this, address, made);
  }

  /** The tables of a server as such, whatever it has of them. */
  public synchronized MemoryTables at(String address) {
    MemoryTables found = servers.get(address);
    if (found == null) {
      throw new NotFoundException("server " + address + ": there is none");
    }
    return found;
  }

  /** How often it was asked where tablets are. */
  public int lookups() {
    return lookups.get();
  }

  // ---- where tablets are

  private List<TabletLocation> known(String table) {
    List<TabletLocation> known = tables.get(table);
    if (known == null) {
      throw new NotFoundException("table \"" + table + "\": there is none of this name");
    }
    return known;
  }

  @Override
  public synchronized List<TabletLocation> locate(String table, Bytes row, int most) {
    lookups.incrementAndGet();
    return known(table).stream().dropWhile(tablet -> !tablet.holds(row)).limit(most).toList();
  }

  /** Whether a server has all tablets with rows of a range. */
  synchronized boolean has(String address, String table, RowRange rows) {
    return tables.getOrDefault(table, List.of()).stream()
            .filter(tablet -> rows(tablet).intersect(rows).isPresent())
            .allMatch(tablet -> tablet.address().equals(address))
        && tables.containsKey(table);
  }

  static RowRange rows(TabletLocation tablet) {
    return new RowRange(
        tablet.first().isEmpty() ? Bytes.EMPTY : tablet.first().successor(),
        tablet.last().map(Bytes::successor).orElse(null));
  }

  /** The rows of a table that a server has. */
  synchronized List<RowRange> rowsAt(String address, String table) {
    return tables.getOrDefault(table, List.of()).stream()
        .filter(tablet -> tablet.address().equals(address))
        .map(MemoryCluster::rows)
        .toList();
  }

  private int index(String table, Bytes row) {
    List<TabletLocation> known = known(table);
    for (int i = 0; i < known.size(); i++) {
      if (known.get(i).holds(row)) {
        return i;
      }
    }
    throw new NotFoundException("row " + row + " of table \"" + table + "\" is in no tablet");
  }

  /** Moves the tablet of a row; to nobody if the address is empty, and then its rows are lost. */
  public synchronized void move(String table, Bytes row, String address) {
    int index = index(table, row);
    TabletLocation tablet = known(table).get(index);
    if (tablet.address().equals(address)) {
      return;
    }
    List<Cell> cells =
        tablet.address().isEmpty() ? List.of() : at(tablet.address()).take(table, rows(tablet));
    if (!address.isEmpty()) {
      at(address).give(table, cells);
    }
    known(table).set(index, new TabletLocation(tablet.first(), tablet.last(), address));
  }

  /** All tablets of a server go to another, as when it died and another took them over. */
  public synchronized void moveAll(String from, String to) {
    for (String table : tables.keySet()) {
      for (TabletLocation tablet : List.copyOf(known(table))) {
        if (tablet.address().equals(from)) {
          move(table, tablet.last().orElse(tablet.first().successor()), to);
        }
      }
    }
  }

  // ---- tables as a whole

  @Override
  public synchronized void create(String table, TableSchema schema, List<Bytes> splits) {
    List<String> addresses = List.copyOf(servers.keySet());
    servers.values().forEach(server -> server.create(table, schema, splits));
    List<TabletLocation> made = new ArrayList<>();
    Bytes first = Bytes.EMPTY;
    for (Bytes last : splits) {
      made.add(
          new TabletLocation(
              first, Optional.of(last), addresses.get(made.size() % addresses.size())));
      first = last;
    }
    made.add(
        new TabletLocation(first, Optional.empty(), addresses.get(made.size() % addresses.size())));
    tables.put(table, made);
  }

  @Override
  public synchronized List<String> list(boolean withMeta) {
    return servers.values().iterator().next().list(withMeta);
  }

  @Override
  public synchronized TableSchema schema(String table) {
    known(table);
    return servers.values().iterator().next().schema(table);
  }

  @Override
  public synchronized List<TabletInfo> tablets(String table) {
    return known(table).stream()
        .map(
            tablet ->
                new TabletInfo(
                    table,
                    tablet.first(),
                    tablet.last(),
                    tablet.address().isEmpty() ? 0 : ACTIVE,
                    tablet.address().isEmpty() ? "not loaded" : "active",
                    tablet.address(),
                    0,
                    0,
                    List.of()))
        .toList();
  }

  @Override
  public synchronized void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    known(table);
    servers.values().forEach(server -> server.alter(table, expected, schema));
  }

  @Override
  public synchronized void drop(String table) {
    known(table);
    tables.remove(table);
    servers.values().forEach(server -> server.drop(table));
  }

  @Override
  public synchronized void copy(String source, String target) {
    servers.values().forEach(server -> server.copy(source, target));
    tables.put(target, List.copyOf(known(source)));
  }

  @Override
  public synchronized Bytes split(String table, Bytes at, Bytes row) {
    int index = index(table, at);
    TabletLocation whole = known(table).get(index);
    Bytes chosen = at(whole.address()).split(table, at, row);
    known(table)
        .set(index, new TabletLocation(whole.first(), Optional.of(chosen), whole.address()));
    known(table).add(index + 1, new TabletLocation(chosen, whole.last(), whole.address()));
    return chosen;
  }

  @Override
  public synchronized void join(String table, Bytes row) {
    int index = index(table, row);
    TabletLocation lower = known(table).get(index);
    if (lower.last().isEmpty()) {
      throw new InvalidRequestException(
          "tablet of row " + row + " of table \"" + table + "\" is the last: none is behind it");
    }
    move(table, lower.last().get().successor(), lower.address());
    TabletLocation upper = known(table).remove(index + 1);
    known(table).set(index, new TabletLocation(lower.first(), upper.last(), lower.address()));
    at(lower.address()).join(table, row);
  }

  @Override
  public synchronized void flush(String table) {
    known(table);
  }

  @Override
  public synchronized void compact(String table) {
    known(table);
  }

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    return List.of();
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    return List.of();
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    throw new InvalidRequestException(
        "table \"" + table + "\" of " + configFile + ": a cluster has no fixed tables");
  }

  @Override
  public void unloadTable(String table) {
    throw new InvalidRequestException(
        "table \"" + table + "\": in a cluster every table is always served");
  }

  @Override
  public synchronized void loadTable(String table) {
    known(table);
  }

  @Override
  public void setMetaLocation(String address) {
    at(address);
  }
}
