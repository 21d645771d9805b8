package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.table.TabletInfo;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A server that knows which tablets it has, and what it was told. */
final class FakeServer implements TabletControl {
  final LiveServer name;

  final Set<TabletKey> tablets = new ConcurrentSkipListSet<>();
  final List<String> orders = new CopyOnWriteArrayList<>();
  final Map<TabletKey, TabletReport> weights = new ConcurrentHashMap<>();
  volatile FakeCluster.Fault fault = FakeCluster.none();
  volatile CountDownLatch hangs = new CountDownLatch(0);
  volatile boolean silent;
  volatile @Nullable SteleException joins; // what it answers to an order to join
  private final FakeCluster cluster;
  private final MetaTable meta;
  private volatile long token;

  FakeServer(FakeCluster cluster, LiveServer name, MetaTable meta) {
    this.cluster = cluster;
    this.name = name;
    this.meta = meta;
  }

  private void order(long given, String what) {
    if (given < token) {
      throw new FencedException("token " + given + " below " + token);
    }
    token = given;
    orders.add(what);
    hang();
  }

  private void hang() {
    try {
      hangs.await();
    } catch (InterruptedException e) {
      throw new UnavailableException("interrupted", e);
    }
  }

  @Override
  public List<TabletOutcome> load(long given, List<TabletKey> keys) {
    order(given, "load " + keys.size());
    return keys.stream().map(this::loadOne).toList();
  }

  private TabletOutcome loadOne(TabletKey key) {
    try {
      Optional<SteleException> problem = fault.of(key);
      if (problem.isPresent()) {
        return TabletOutcome.failed(key, problem.get());
      }
      TabletConfig config = meta.loadable(key);
      Optional<LiveServer> owner = Picture.ownerOf(config, cluster.live());
      if (owner.filter(each -> !each.equals(name)).isPresent()) {
        throw new ConflictException(key + " is served by " + owner.get());
      }
      TabletConfig mine =
          config.withServer(name.address(), List.of(new LogRef(FakeCluster.logOf(name), 0)));
      tablets.add(key);
      save(mine);
      return TabletOutcome.done(key);
    } catch (SteleException e) {
      tablets.remove(key);
      return TabletOutcome.failed(key, e);
    }
  }

  private void save(TabletConfig config) {
    if (MetaLevel.of(config.table()) == MetaLevel.ROOT) {
      meta.loadable(config.key());
    }
    Futures.await(
        meta.apply(MetaLevel.of(config.table()), new MetaTable.Change(List.of(config), List.of())));
  }

  @Override
  public List<TabletOutcome> unload(long given, List<TabletKey> keys) {
    order(given, "unload " + keys.size());
    List<TabletOutcome> outcomes = new ArrayList<>();
    for (TabletKey key : keys) {
      if (tablets.contains(key)) {
        save(meta.tablet(key).orElseThrow().withServer("", List.of()));
        tablets.remove(key);
        outcomes.add(TabletOutcome.done(key));
      } else {
        outcomes.add(TabletOutcome.failed(key, new NotServingException(key + " is not here")));
      }
    }
    return outcomes;
  }

  @Override
  public void join(long given, TabletKey lower) {
    order(given, "join " + lower.last().orElseThrow());
    SteleException problem = joins;
    if (problem != null) {
      throw problem;
    }
    TabletConfig low = meta.tablet(lower).orElseThrow();
    TabletConfig high =
        meta.tabletOf(lower.table(), lower.last().orElseThrow().successor()).orElseThrow();
    if (!tablets.contains(lower) || !tablets.contains(high.key())) {
      throw new NotServingException("both must be here");
    }
    tablets.remove(lower);
    Futures.await(
        meta.apply(
            MetaLevel.META1,
            new MetaTable.Change(List.of(high.withFirst(low.first())), List.of(lower))));
  }

  @Override
  public Bytes split(long given, TabletKey tablet, Optional<Bytes> row) {
    order(given, "split");
    if (!tablets.contains(tablet)) {
      throw new NotServingException(tablet + " is not here");
    }
    TabletConfig whole = meta.tablet(tablet).orElseThrow();
    TabletConfig lower = whole.withLast(row);
    tablets.add(lower.key());
    Futures.await(
        meta.apply(
            MetaLevel.META1,
            new MetaTable.Change(List.of(lower, whole.withFirst(row.orElseThrow())), List.of())));
    return row.orElseThrow();
  }

  @Override
  public void reloadSchema(long given, String table) {
    order(given, "schema " + table);
  }

  @Override
  public void truncate(long given, String table) {
    order(given, "truncate " + table);
  }

  @Override
  public List<TabletConfig> snapshot(long given, String table) {
    order(given, "snapshot " + table);
    return tablets.stream()
        .filter(key -> key.table().equals(table))
        .map(key -> meta.tablet(key).orElseThrow().copyFor(table))
        .toList();
  }

  @Override
  public void flush(String table) {
    orders.add("flush " + table);
  }

  @Override
  public void compact(String table) {
    orders.add("compact " + table);
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    hang();
    return tablets.stream()
        .filter(key -> key.table().equals(table))
        .map(
            key ->
                new TabletInfo(
                    table, Bytes.EMPTY, key.last(), 5, "active", name.address(), 0, 0, List.of()))
        .toList();
  }

  @Override
  public long applyMeta(String metaTable, CellBatch cells, long commitMaxTxn) {
    return Futures.await(cluster.apply(metaTable, cells, commitMaxTxn, true));
  }

  @Override
  public ServerReport report() {
    if (silent) {
      throw new UnavailableException("no word");
    }
    hang();
    return new ServerReport(
        name,
        tablets.stream()
            .map(key -> weights.getOrDefault(key, new TabletReport(key, Bytes.EMPTY, 5, 0, 0, 0)))
            .toList(),
        Optional.empty(),
        FilePath.of("fragments/" + name.run() + "/0000000001.frag"),
        Set.of(),
        0);
  }

  boolean hasMeta() {
    return tablets.stream().anyMatch(key -> TableNames.isReserved(key.table()));
  }
}
