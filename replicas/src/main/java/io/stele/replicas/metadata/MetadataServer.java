package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Subscription;
import io.stele.replicas.metadata.Coordination.Kept;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.MetadataStore.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The METADATA of all tables as one server has it: files of those tables for which it is a metadata
 * server, and what is known of the others ({@link MetadataCache}).
 *
 * <pre>
 *   change ──► base valid, and here? ──► new file: here, and at the others ──► a majority has it
 *                                                                                     │
 *   notices to all that are affected ◄── valid ◄── coordination service: swap txn, if the version
 *                                          │                              is still the same
 *                        else ──► file taken back everywhere, conflict
 * </pre>
 *
 * <p>Threads: any number may call. Its own is one for upkeep: it looks for what is new when it is
 * told to and now and then, and tidies up. Calls of other servers run where {@link
 * MetadataParts#calls} puts them.
 */
public final class MetadataServer implements MetadataPeer, AutoCloseable {
  private final MetadataParts parts;
  private final MetadataSettings settings;
  private final MetadataFiles files;
  private final TableLookup lookup;
  private final MetadataCache cache;
  private final FileUpkeep upkeep;
  private final ServerList servers;
  private final ChangeRequester requester;
  private final ClusterMark mark;
  private final Adoption adoption;

  /** Changes of one table wait for each other here: all but one would fail. */
  private final Map<String, ReentrantLock> changes = new ConcurrentHashMap<>();

  private final ReentrantLock rounds = new ReentrantLock();
  private final Condition due = rounds.newCondition();
  private boolean woken; // guarded by rounds
  private boolean closed; // guarded by rounds
  private @Nullable Thread thread; // guarded by rounds
  private @Nullable Subscription watch; // guarded by rounds

  public MetadataServer(MetadataParts parts, MetadataSettings settings) {
    this.parts = parts;
    this.settings = settings;
    MetadataStore store = new MetadataStore(parts.files(), parts.directory());
    MetadataFetch fetch = new MetadataFetch(parts, store);
    this.files = new MetadataFiles(store);
    this.lookup = new TableLookup(parts.coordination());
    this.cache = new MetadataCache(parts, lookup, fetch);
    this.upkeep = new FileUpkeep(parts, settings, files, cache, lookup, fetch);
    this.servers = new ServerList(parts, settings, files, cache, lookup, fetch);
    this.requester = new ChangeRequester(parts, settings, cache, this);
    this.mark = new ClusterMark(parts.files(), parts.coordination(), parts.random());
    this.adoption = new Adoption(parts, settings, files, cache, fetch);
  }

  /** What is known of all tables. */
  public MetadataCache cache() {
    return cache;
  }

  /** Asks for changes, of whichever metadata server. */
  public ChangeRequester requester() {
    return requester;
  }

  // ---- files

  @Override
  public Optional<Bytes> fetch(String table, String txn) {
    Optional<TableConfig> config = config(table);
    if (config.isEmpty()) {
      return Optional.empty();
    }
    Stored valid = serve(config.get());
    return valid.metadata().txn().equals(txn)
        ? Optional.of(valid.file())
        : files.readable(new FileKey(table, txn)).map(Stored::file);
  }

  /** As the coordination service has it; as it was last known if that is away. */
  private Optional<TableConfig> config(String table) {
    try {
      return lookup.find(table).map(Kept::config);
    } catch (UnavailableException e) {
      return Optional.of(cache.byId(table).map(MetadataCache.Known::config).orElseThrow(() -> e));
    }
  }

  /** The valid file, without which nothing is served. */
  private Stored serve(TableConfig config) {
    if (!config.metadataServers().contains(parts.server())) {
      throw notServing(config, "is no metadata server of");
    }
    FileKey key = new FileKey(config.id(), config.metadataTxn());
    try {
      Optional<Stored> valid = files.store().read(key);
      if (valid.isPresent()) {
        return valid.get();
      }
    } catch (CorruptDataException e) {
      parts
          .events()
          .accept(
              new MetadataEvent.Corrupt(key.table(), key.txn(), String.valueOf(e.getMessage())));
      upkeep.suspect(key);
      wake();
      throw e;
    }
    upkeep.suspect(key);
    wake();
    throw notServing(config, "lacks METADATA " + config.metadataTxn() + " of");
  }

  private NotServingException notServing(TableConfig config, String why) {
    @Nullable String hint =
        config.metadataServers().stream()
            .filter(each -> !each.equals(parts.server()))
            .flatMap(each -> cache.server(each).stream())
            .map(LiveServer::address)
            .findFirst()
            .orElse(null);
    return new NotServingException(
        "server " + parts.server() + " " + why + " table " + config.name(), hint);
  }

  @Override
  public void store(String table, String txn, Bytes file) {
    files.keep(new FileKey(table, txn), file);
  }

  @Override
  public void drop(String table, String txn) {
    files.dropUnlessValid(new FileKey(table, txn), lookup);
  }

  // ---- changes

  @Override
  public Metadata change(String table, MetadataChange change) {
    ReentrantLock turn = changes.computeIfAbsent(table, key -> new ReentrantLock());
    Metadata before;
    Metadata after;
    turn.lock();
    try {
      Kept kept = lookup.get(table);
      before = serve(kept.config()).metadata();
      after = new ChangeCommit(parts, settings, files, cache, lookup, kept, before, change).run();
    } finally {
      turn.unlock();
    }
    parts
        .events()
        .accept(
            new MetadataEvent.Committed(table, change.operation(), after.txn(), after.sequence()));
    cache.offer(after);
    notifyAffected(before, after);
    return after;
  }

  /** Tells everybody who has, had or will have to do with the table. They poll too. */
  private void notifyAffected(Metadata before, Metadata after) {
    Set<String> affected = new TreeSet<>(before.servers());
    affected.addAll(after.servers());
    cache.byId(after.table()).ifPresent(known -> affected.addAll(known.config().metadataServers()));
    affected.remove(parts.server());
    changed(after.table());
    for (String server : affected) {
      cache.peer(server).ifPresent(peer -> parts.calls().execute(() -> tell(peer, after.table())));
    }
  }

  private void tell(MetadataPeer peer, String table) {
    try {
      peer.changed(table);
    } catch (SteleException e) {
      parts.events().accept(new MetadataEvent.Failed("telling of a change of " + table, e));
    }
  }

  @Override
  public void changed(String table) {
    parts.calls().execute(() -> look(table));
    wake();
  }

  private void look(String table) {
    try {
      cache.refresh(table);
    } catch (SteleException e) {
      parts.events().accept(new MetadataEvent.Failed("looking for METADATA of " + table, e));
    }
  }

  // ---- tables and servers

  /**
   * Makes a table: its first METADATA file on a majority of its metadata servers, then its
   * configuration.
   *
   * @return false if there is a table of that name
   * @throws UnavailableException if too few of the metadata servers could store the file
   */
  public boolean create(TableConfig config, Metadata first) {
    FileKey key = new FileKey(config.id(), config.metadataTxn());
    long begun = parts.clock().nanos();
    try (var _ = files.begin(key)) {
      cache.tryRefreshServers();
      FileQuorum quorum =
          FileQuorum.ask(
              parts,
              files,
              cache,
              lookup,
              key,
              MetadataFile.encode(first),
              config.metadataServers());
      boolean created = false;
      try {
        quorum.await();
        // The others drop a file of a table that does not come into being.
        if (parts.clock().nanos() - begun > settings.abandonedAfter().toNanos() / 2) {
          throw new UnavailableException("making table " + config.name() + " took too long");
        }
        created = createConfig(config);
      } catch (UnavailableException e) {
        quorum.takeBack();
        throw e;
      }
      if (!created) {
        quorum.takeBack();
        return false;
      }
    }
    Set<String> affected = new TreeSet<>(first.servers());
    affected.addAll(config.metadataServers());
    affected.remove(parts.server());
    look(config.id());
    for (String server : affected) {
      cache.peer(server).ifPresent(peer -> parts.calls().execute(() -> tell(peer, config.id())));
    }
    return true;
  }

  /** Ids are unique: so it can be asked again, and be told who made the table. */
  private boolean createConfig(TableConfig config) {
    for (int attempt = 0; ; attempt++) {
      try {
        return parts.coordination().create(config)
            || parts
                .coordination()
                .table(config.name())
                .filter(each -> each.config().id().equals(config.id()))
                .isPresent();
      } catch (UnavailableException | OutcomeUnknownException e) {
        if (attempt == 0 && e instanceof UnavailableException) {
          throw e;
        }
        if (attempt + 1 >= settings.tries()) {
          throw new OutcomeUnknownException(
              "whether table " + config.name() + " was made is not known", e);
        }
        LockSupport.parkNanos(settings.retryPause().toNanos());
      }
    }
  }

  @Override
  public void join(String table) {
    servers.join(table);
    look(table);
  }

  /**
   * Takes a server, this or another, live or not, out of the metadata servers of a table.
   *
   * @throws io.stele.base.error.InvalidRequestException if it is the last one
   * @throws UnavailableException if none of those that stay gives the valid file
   */
  public void remove(String table, String server) {
    servers.remove(table, server);
    look(table);
  }

  // ---- the cluster

  /**
   * Makes sure that the coordination service is the one that this server belongs to: see {@link
   * ClusterMark}.
   *
   * @throws UnavailableException if it is not, or does not answer
   */
  public void settle() {
    mark.settle(!cache.tables().isEmpty());
  }

  @Override
  public List<String> adopt(boolean force) {
    if (!mark.claim()) {
      throw new InvalidRequestException(
          "the metastore is that of another cluster and lists tables "
              + parts.coordination().tables().stream().map(each -> each.config().name()).toList()
              + ": tables can be adopted by an empty one, or by that of their own cluster");
    }
    settle();
    List<String> done = adoption.run(force);
    wake();
    return done;
  }

  /** As {@link #adopt}, of all servers that this one knows; what each of them did. */
  public List<String> adoptEverywhere(boolean force) {
    List<LiveServer> others =
        cache.servers().stream().filter(each -> !each.id().equals(parts.server())).toList();
    List<String> done = new ArrayList<>(adopt(force));
    for (LiveServer other : others) {
      try {
        parts.peers().apply(other.address()).adopt(force).stream()
            .map(line -> other.address() + ": " + line)
            .forEach(done::add);
      } catch (SteleException e) {
        done.add(other.address() + ": did not list its tables: " + e.getMessage());
      }
    }
    return done;
  }

  // ---- upkeep

  /** Begins to look after files and to keep what is known up to date. */
  public void start() {
    rounds.lock();
    try {
      if (thread == null && !closed) {
        woken = true;
        watch = parts.coordination().watch(this::wake);
        thread = Thread.ofPlatform().daemon().name("stele-metadata").start(this::run);
      }
    } finally {
      rounds.unlock();
    }
  }

  /** Looks for everything that is new, fetches files that should be here, drops those left over. */
  public void round() {
    settle();
    cache.refresh();
    upkeep.run();
  }

  private void wake() {
    rounds.lock();
    try {
      woken = true;
      due.signalAll();
    } finally {
      rounds.unlock();
    }
  }

  private void run() {
    boolean failing = false;
    while (awaitRound()) {
      try {
        round();
        failing = false;
      } catch (RuntimeException e) {
        if (!failing) { // once is enough for as long as the coordination service is away
          parts.events().accept(new MetadataEvent.Failed("looking after METADATA", e));
        }
        failing = true;
      }
    }
  }

  /** Waits for a reason to work; false at the end. */
  private boolean awaitRound() {
    rounds.lock();
    try {
      long left = settings.poll().toNanos();
      while (!woken && !closed && left > 0) {
        left = due.awaitNanos(left);
      }
      woken = false;
      return !closed;
    } catch (InterruptedException e) {
      return false; // only close interrupts
    } finally {
      rounds.unlock();
    }
  }

  @Override
  public void close() {
    Thread ending;
    rounds.lock();
    try {
      closed = true;
      if (watch != null) {
        watch.close();
      }
      due.signalAll();
      ending = thread;
    } finally {
      rounds.unlock();
    }
    if (ending != null && !ending.equals(Thread.currentThread())) {
      try {
        ending.join(TimeUnit.SECONDS.toMillis(30)); // calls of others end within a bounded time
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
