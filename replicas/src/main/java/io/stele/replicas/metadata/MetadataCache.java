package io.stele.replicas.metadata;

import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Subscription;
import io.stele.replicas.metadata.Coordination.Kept;
import io.stele.replicas.metadata.Coordination.LiveServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The newest METADATA of every table that this server knows of, and the servers that live. Asking
 * costs nothing and works while the coordination service is away: what is known then may be old,
 * which every use of it must bear.
 *
 * <p>What is known of a table never becomes older. It becomes newer by {@link #refresh}, which is
 * called on notices, now and then, and by anyone who hears of something newer ({@link #atLeast}).
 * It is kept on disk too, and a server begins with that.
 *
 * <p>A table is forgotten only when its drop is on record. One that the service does not list, and
 * has no such record of, stays known and is served: the service has lost it.
 *
 * <p>Any thread. Readers share an immutable picture; listeners are called without locks.
 */
public final class MetadataCache {
  /**
   * A table.
   *
   * @param version of the configuration; {@link Coordination#UNLISTED} if the service does not list
   *     the table, or was not asked since this server started
   * @param metadata the newest that could be had: perhaps not yet the one that is valid by the
   *     configuration, perhaps already the one after it
   */
  public record Known(TableConfig config, long version, Metadata metadata) {
    boolean complete() {
      return metadata.txn().equals(config.metadataTxn());
    }

    /** Whether the service has said, since this server started, that this METADATA is valid. */
    public boolean isConfirmed() {
      return isListed() && complete();
    }

    /** Whether the service listed it when it was last asked. */
    public boolean isListed() {
      return version != Coordination.UNLISTED;
    }

    private Known unlisted() {
      return new Known(config, Coordination.UNLISTED, metadata);
    }
  }

  /** Wants to know what has changed. Calls come on any thread, and not always in order: look. */
  public interface Listener {
    /** Configuration or METADATA of a table, by id, are others; or the table is gone, or new. */
    void tableChanged(String table);

    /** Servers came or went. */
    void serversChanged();
  }

  private record View(
      Map<String, Known> byName,
      Map<String, Known> byId,
      List<LiveServer> servers,
      Map<String, LiveServer> serversById) {}

  private static final int DROPPED_KEPT = 1_000; // ids; none comes back, so a few would do

  private final MetadataParts parts;
  private final TableLookup lookup;
  private final MetadataFetch fetch;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock(); // for who changes the view
  private final Set<String> dropped = new LinkedHashSet<>(); // guarded by lock; the last of them
  private final Set<String> missing = new HashSet<>(); // guarded by lock; known, and not listed
  private final KnownFiles files;
  private final ReentrantLock saving = new ReentrantLock(); // so that nothing older is saved last
  private final Map<String, LiveServer> saved = new TreeMap<>(); // guarded by saving
  private volatile View view;
  private volatile long refreshedMicros = Long.MIN_VALUE;

  MetadataCache(MetadataParts parts, TableLookup lookup, MetadataFetch fetch) {
    this.parts = parts;
    this.lookup = lookup;
    this.fetch = fetch;
    this.files = new KnownFiles(parts.files());
    this.view = load();
  }

  /** What was known when the server stopped. */
  private View load() {
    Map<String, Known> byId = new HashMap<>();
    try {
      for (String id : files.tables()) {
        attempt(
            "reading what is known of table " + id,
            () -> {
              KnownFiles.Table table = files.table(id);
              byId.put(id, new Known(table.config(), Coordination.UNLISTED, table.metadata()));
            });
      }
    } catch (IOException e) {
      throw new UnavailableException("what is known of tables cannot be listed: " + e, e);
    }
    attempt(
        "reading which servers there were",
        () -> files.servers().forEach(each -> saved.put(each.id(), each)));
    View tables = tables(new View(Map.of(), Map.of(), List.of(), Map.of()), byId);
    return withServers(tables, List.copyOf(saved.values()));
  }

  private interface FileTask {
    void run() throws IOException;
  }

  /** What cannot be saved or read costs only what is known while the service is away. */
  private void attempt(String what, FileTask task) {
    try {
      task.run();
    } catch (IOException | SteleException e) {
      parts.events().accept(new MetadataEvent.Failed(what, e));
    }
  }

  private void save(String id) {
    saving.lock();
    try {
      Known known = view.byId.get(id);
      attempt(
          "saving what is known of table " + id,
          () -> {
            if (known == null) {
              files.delete(id);
            } else {
              files.save(new KnownFiles.Table(known.config(), known.metadata()));
            }
          });
    } finally {
      saving.unlock();
    }
  }

  // ---- what is known

  /** A table, by its name. */
  public Optional<Known> table(String name) {
    return Optional.ofNullable(view.byName.get(name));
  }

  /** A table, by its id. */
  public Optional<Known> byId(String id) {
    return Optional.ofNullable(view.byId.get(id));
  }

  /** All tables, in the order of their names. */
  public List<Known> tables() {
    return List.copyOf(view.byName.values());
  }

  /** Servers that live, in the order of their ids. */
  public List<LiveServer> servers() {
    return view.servers;
  }

  public Optional<LiveServer> server(String id) {
    return Optional.ofNullable(view.serversById.get(id));
  }

  /** Another server that lives. */
  Optional<MetadataPeer> peer(String id) {
    return server(id).map(each -> parts.peers().apply(each.address()));
  }

  public Subscription subscribe(Listener listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  // ---- looking for more

  /**
   * A table by its name; asks the coordination service if it is not known.
   *
   * @throws NotFoundException if there is none
   * @throws UnavailableException if its METADATA cannot be had
   */
  public Known require(String name) {
    Known known = view.byName.get(name);
    if (known != null) {
      return known;
    }
    Kept kept =
        parts
            .coordination()
            .table(name)
            .orElseThrow(() -> new NotFoundException("table \"" + name + "\" does not exist"));
    return refresh(kept.config().id())
        .orElseThrow(
            () ->
                new UnavailableException(
                    "METADATA "
                        + kept.config().metadataTxn()
                        + " of table \""
                        + name
                        + "\" cannot be had from any of its metadata servers "
                        + kept.config().metadataServers()));
  }

  /** A table as of a sequence of its METADATA, or later; as it is known, if that cannot be had. */
  public Optional<Known> atLeast(String id, long sequence) {
    Optional<Known> known = byId(id);
    return known.isPresent() && known.get().metadata().sequence() >= sequence ? known : refresh(id);
  }

  /**
   * Looks at the coordination service, and fetches what is valid now.
   *
   * @return what is known then; none if there is no such table, or nothing could be had of it.
   *     Known and not {@linkplain Known#isListed listed} if the service has lost it
   * @throws UnavailableException if the service does not answer
   */
  public Optional<Known> refresh(String id) {
    if (view.servers.isEmpty()) {
      refreshServers();
    }
    for (int attempt = 0; attempt < 3; attempt++) {
      Map<String, Known> before = view.byId;
      Optional<Kept> kept = lookup.find(id);
      kept.ifPresent(each -> noteIfRestored(each, before));
      if (kept.isEmpty()) {
        missed(Set.of(id));
        return byId(id);
      }
      if (learn(kept.get(), new HashSet<>())) {
        break;
      }
      refreshServers(); // who has it may be new; or it has changed while it was fetched
    }
    return byId(id);
  }

  /** Looks for everything. Returns the tables of which the valid METADATA could not be had. */
  List<Kept> refresh() {
    long begun = parts.clock().micros();
    refreshServers();
    Set<String> unknown = new HashSet<>(view.byId.keySet());
    Set<String> unreachable = new HashSet<>();
    List<Kept> missing = new ArrayList<>();
    Map<String, Known> before = view.byId;
    for (Kept kept : lookup.all()) {
      unknown.remove(kept.config().id());
      noteIfRestored(kept, before);
      if (!learn(kept, unreachable)) {
        missing.add(kept);
      }
    }
    missed(unknown);
    refreshedMicros = begun;
    return missing;
  }

  /** When the coordination service last told of all tables; before all times if it never did. */
  public long refreshedMicros() {
    return refreshedMicros;
  }

  void refreshServers() {
    List<LiveServer> servers = parts.coordination().servers();
    boolean changed =
        change(
            before -> {
              if (before.servers.equals(servers)) {
                return null;
              }
              return withServers(before, servers);
            });
    if (changed) {
      saveServers();
      tell(Listener::serversChanged);
    }
  }

  /** Also those that are not live and have replicas: when this server starts, they may be. */
  private void saveServers() {
    saving.lock();
    try {
      View now = view;
      Set<String> needed = new HashSet<>();
      now.byId
          .values()
          .forEach(
              known -> {
                needed.addAll(known.metadata().servers());
                needed.addAll(known.config().metadataServers());
              });
      saved.keySet().retainAll(needed);
      now.servers.forEach(each -> saved.put(each.id(), each));
      attempt("saving which servers there are", () -> files.save(List.copyOf(saved.values())));
    } finally {
      saving.unlock();
    }
  }

  private static View withServers(View before, List<LiveServer> servers) {
    Map<String, LiveServer> byId = new HashMap<>();
    servers.forEach(each -> byId.put(each.id(), each));
    return new View(before.byName, before.byId, List.copyOf(servers), byId);
  }

  /** As {@link #refreshServers}; what is known has to do while the service is away. */
  void tryRefreshServers() {
    try {
      refreshServers();
    } catch (SteleException e) {
      parts.events().accept(new MetadataEvent.Failed("looking for servers that live", e));
    }
  }

  /** Takes over what somebody knows to be valid, or to have been. */
  void offer(Metadata metadata) {
    Known known = view.byId.get(metadata.table());
    if (known != null) {
      put(new Known(known.config().withMetadataTxn(metadata.txn()), known.version(), metadata));
    }
  }

  /**
   * A version that is lower than one known before the service was asked is of a service that has
   * begun again, from nothing or from a backup: what was known of versions says nothing about it.
   */
  private void noteIfRestored(Kept kept, Map<String, Known> before) {
    String id = kept.config().id();
    Known known = before.get(id);
    if (known != null && kept.version() < known.version()) {
      change(
          now -> {
            Known current = now.byId.get(id);
            return current == null || current.version() != known.version()
                ? null
                : with(now, current.unlisted());
          });
    }
  }

  /** Whether what is valid is known now. */
  private boolean learn(Kept kept, Set<String> unreachable) {
    Known known = view.byId.get(kept.config().id());
    if (known != null && known.version() >= kept.version() && known.complete()) {
      return true;
    }
    if (known != null && known.metadata().txn().equals(kept.config().metadataTxn())) {
      put(new Known(kept.config(), kept.version(), known.metadata()));
      return true;
    }
    Optional<Metadata> found =
        fetch.valid(kept.config(), this::peer, unreachable).map(each -> each.stored().metadata());
    found.ifPresent(metadata -> put(new Known(kept.config(), kept.version(), metadata)));
    return found.isPresent();
  }

  // ---- the view

  private void put(Known fresh) {
    boolean changed =
        change(
            before -> {
              if (dropped.contains(fresh.config().id())) {
                return null; // it was looked up before it was dropped
              }
              Known known = before.byId.get(fresh.config().id());
              if (fresh.isListed()) {
                missing.remove(fresh.config().id());
              }
              return known != null && !newer(fresh, known) ? null : with(before, fresh);
            });
    if (changed) {
      save(fresh.config().id());
      tell(each -> each.tableChanged(fresh.config().id()));
    }
  }

  /** Versions of one service never go back, and neither do sequences, which may be ahead. */
  private static boolean newer(Known fresh, Known known) {
    long sequence = fresh.metadata().sequence();
    long knownSequence = known.metadata().sequence();
    return sequence > knownSequence
        ? fresh.version() >= known.version()
        : sequence == knownSequence && fresh.version() > known.version();
  }

  private static View with(View before, Known fresh) {
    Map<String, Known> byId = new HashMap<>(before.byId);
    byId.put(fresh.config().id(), fresh);
    return tables(before, byId);
  }

  /** The service does not list these tables: they were dropped, or it has lost them. */
  private void missed(Set<String> ids) {
    Set<String> gone = new HashSet<>();
    for (String id : ids) {
      Optional<Known> known = byId(id);
      if (known.isEmpty()) {
        continue;
      }
      if (parts.coordination().isDropped(id)) {
        gone.add(id);
      } else {
        unlist(known.get());
      }
    }
    forget(gone);
  }

  private void unlist(Known known) {
    String id = known.config().id();
    boolean found =
        change(
            before -> {
              Known now = before.byId.get(id);
              return now == null || !missing.add(id) ? null : with(before, now.unlisted());
            });
    if (found) {
      parts.events().accept(new MetadataEvent.NotListed(known.config().name(), id));
    }
  }

  private void forget(Set<String> ids) {
    Set<String> gone = new HashSet<>();
    change(
        before -> {
          Map<String, Known> byId = new HashMap<>(before.byId);
          ids.stream().filter(id -> byId.remove(id) != null).forEach(gone::add);
          dropped.addAll(gone);
          missing.removeAll(gone);
          while (dropped.size() > DROPPED_KEPT) {
            dropped.remove(dropped.iterator().next());
          }
          return gone.isEmpty() ? null : tables(before, byId);
        });
    gone.forEach(this::save);
    gone.forEach(id -> tell(each -> each.tableChanged(id)));
  }

  private static View tables(View before, Map<String, Known> byId) {
    // A name may pass from one table to another, and both may be known for a moment.
    Map<String, Known> byName = new TreeMap<>();
    byId.values()
        .forEach(
            each ->
                byName.merge(
                    each.config().name(),
                    each,
                    (one, other) -> one.version() > other.version() ? one : other));
    return new View(new LinkedHashMap<>(byName), byId, before.servers, before.serversById);
  }

  private interface Change {
    /** The view after it; null if nothing changes. */
    @Nullable View of(View before);
  }

  private boolean change(Change change) {
    lock.lock();
    try {
      View after = change.of(view);
      if (after == null) {
        return false;
      }
      view = after;
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void tell(Consumer<Listener> notice) {
    for (Listener listener : listeners) {
      try {
        notice.accept(listener);
      } catch (RuntimeException e) {
        parts.events().accept(new MetadataEvent.Failed("telling of new METADATA", e));
      }
    }
  }
}
