package io.stele.tables.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.text.NearestName;
import io.stele.engine.cache.BlockCache;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.tablet.CommitLock;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableState;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletListener;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The tables that are on this server, by name. */
public final class TableSet {
  private final ServerParts server;
  private final CommitLock lock;
  private final BlockCache cache;
  private final TabletListener listener;
  private final boolean inCluster;
  private final long deferNanos;
  private final Map<String, Table> tables = new ConcurrentHashMap<>();
  private final Map<String, SteleException> failed = new ConcurrentHashMap<>();
  private final Set<String> unloaded = ConcurrentHashMap.newKeySet();

  @GuardedBy("lock")
  private final Map<String, Integer> reading = new HashMap<>();

  private final Queue<FragmentGraph> leaving = new ConcurrentLinkedQueue<>(); // of tables removed

  /**
   * Starts without tables.
   *
   * @param listener told of all tablets of all tables
   * @param inCluster other servers may have tables that this one does not
   * @param deferLimit how long a request waits for a table whose schema is being read
   */
  public TableSet(
      ServerParts server,
      BlockCache cache,
      TabletListener listener,
      boolean inCluster,
      Duration deferLimit) {
    this.deferNanos = deferLimit.toNanos();
    this.inCluster = inCluster;
    this.listener = listener;
    this.server = server;
    this.lock = server.lock();
    this.cache = cache;
  }

  public Collection<Table> all() {
    return tables.values();
  }

  public Optional<Table> find(String name) {
    return Optional.ofNullable(tables.get(name));
  }

  /** The schemas of tables are being read, until this is closed. */
  interface Reading extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Puts tables that are not here in the state {@link TableState#SCHEMA_LOADING}. When this is
   * closed, those that have not been added are unknown again.
   */
  Reading reading(Collection<String> names) {
    List<String> all = List.copyOf(names);
    count(all, 1);
    return () -> count(all, -1);
  }

  private void count(List<String> names, int change) {
    lock.lock();
    try {
      names.forEach(name -> reading.merge(name, change, (n, m) -> n + m == 0 ? null : n + m));
      lock.changed();
    } finally {
      lock.unlock();
    }
  }

  /** The state of a table on this server. */
  public TableState state(String name) {
    Table table = tables.get(name);
    if (table != null) {
      return table.state();
    }
    lock.lock();
    try {
      return reading.containsKey(name) ? TableState.SCHEMA_LOADING : TableState.UNKNOWN;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A table by its name, for a request: it waits while the table's schema is being read.
   *
   * @throws UnavailableException if that takes too long, and as {@link #get} does
   */
  public Table await(String name) {
    Table known = tables.get(name);
    if (known != null && known.state() == TableState.ACTIVE) {
      return known;
    }
    long deadline = server.clock().nanos() + deferNanos;
    lock.lock();
    try {
      while (state(name) == TableState.SCHEMA_LOADING) {
        long left = deadline - server.clock().nanos();
        if (left <= 0 || lock.await(left) <= 0) {
          throw new UnavailableException(
              "the schema of table \"" + name + "\" is still being loaded: try again");
        }
      }
    } finally {
      lock.unlock();
    }
    return get(name);
  }

  /**
   * A table by its name, in whatever state.
   *
   * @throws NotFoundException if there is none, with the name that was probably meant
   * @throws UnavailableException if there is one that could not be loaded, with the reason
   * @throws NotServingException if it was unloaded on request; in a cluster also in place of the
   *     others
   */
  public Table get(String name) {
    Table table = tables.get(name);
    if (table != null) {
      return table;
    }
    SteleException problem = failed.get(name);
    if (problem != null) {
      throw new UnavailableException(
          "table \"" + name + "\" could not be loaded: " + problem.getMessage(), problem);
    }
    if (unloaded.contains(name)) {
      throw new NotServingException("table \"" + name + "\" was unloaded, and is not served here");
    }
    if (inCluster) { // whether it exists is not known here
      throw new NotServingException("no tablet of table \"" + name + "\" is loaded here");
    }
    throw new NotFoundException(
        "table \""
            + name
            + "\" does not exist"
            + NearestName.of(name, tables.keySet())
                .map(nearest -> "; did you mean \"" + nearest + "\"?")
                .orElse(""));
  }

  /** Creates a table that has no tablets here yet, or returns the one there is. */
  Table add(String name, StoredSchema schema, Optional<FilePath> configFile) {
    failed.remove(name);
    unloaded.remove(name);
    return tables.computeIfAbsent(
        name,
        _ -> {
          FragmentGraph graph = new FragmentGraph(server.files(), cache, server::unreadable);
          TableView view = TableView.empty(schema.schema(), schema.origins(), 1);
          Table table =
              new Table(
                  name,
                  view,
                  lock,
                  graph,
                  configFile,
                  failure ->
                      server.report(
                          new TableEvent.BackgroundFailed("listener of table " + name, failure)));
          table.events().add(listener, null);
          return table;
        });
  }

  void remove(Table table) {
    table.end();
    tables.remove(table.name(), table);
    leaving.add(table.graph());
    lock.run(lock::changed);
  }

  /** Files that reads under way may still need, of tables here and of those that have left. */
  public Set<FilePath> openFiles() {
    Set<FilePath> open = new HashSet<>();
    tables.values().forEach(table -> open.addAll(table.graph().openFiles()));
    leaving.removeIf(graph -> graph.openFiles().isEmpty());
    leaving.forEach(graph -> open.addAll(graph.openFiles()));
    return open;
  }

  /** A table that META has, and that is not to be served here until it is loaded again. */
  void setUnloaded(String name) {
    unloaded.add(name);
  }

  void setFailed(String name, SteleException problem) {
    failed.put(name, problem);
  }
}
