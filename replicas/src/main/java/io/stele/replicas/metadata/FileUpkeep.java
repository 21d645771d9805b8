package io.stele.replicas.metadata;

import io.stele.base.error.SteleException;
import io.stele.replicas.metadata.Coordination.Kept;
import io.stele.replicas.metadata.MetadataFiles.Note;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the files of a server: fetches valid ones that it should have, and drops those that
 * are not valid and can never become so.
 *
 * <p>A file that is not valid may belong to a change that another server is about to commit; that
 * one counts on it. It is let go only if
 *
 * <ul>
 *   <li>the valid transaction has the same or a higher number: its base is not valid any more; or
 *   <li>the configuration has got another version since the file was seen here: who was to commit
 *       it had read the older one, and fails; or
 *   <li>nothing was heard of it for long, and <em>then</em> the configuration was given another
 *       version from here. So it does not matter how long "long" is: a coordinator that was stopped
 *       for a day finds that it has lost.
 * </ul>
 *
 * <p>Files of a table that the coordination service does not list are dropped only if its drop is
 * on record, or if it never came into being.
 *
 * <p>The valid file is never dropped, whether or not this server is listed.
 */
final class FileUpkeep {
  private static final long NO_TABLE = -1;

  private final MetadataParts parts;
  private final MetadataSettings settings;
  private final MetadataFiles files;
  private final MetadataCache cache;
  private final TableLookup lookup;
  private final MetadataFetch fetch;

  /** Files that were found to be what was written; any thread. */
  private final Set<FileKey> verified = ConcurrentHashMap.newKeySet();

  FileUpkeep(
      MetadataParts parts,
      MetadataSettings settings,
      MetadataFiles files,
      MetadataCache cache,
      TableLookup lookup,
      MetadataFetch fetch) {
    this.parts = parts;
    this.settings = settings;
    this.files = files;
    this.cache = cache;
    this.lookup = lookup;
    this.fetch = fetch;
  }

  /**
   * Somebody found that a file is not here, or not what was written. Waits for nothing: two servers
   * that look for files at each other would wait for ever.
   */
  void suspect(FileKey key) {
    verified.remove(key);
  }

  synchronized void run() {
    // Files first: then each of them was there when the configurations were read.
    List<FileKey> there = files.store().list();
    Map<String, Kept> tables = new HashMap<>();
    lookup.all().forEach(each -> tables.put(each.config().id(), each));
    Set<String> lacking = fetchMissing(tables);
    files.retain(there);
    verified.retainAll(there);
    Set<String> dropped = new HashSet<>();
    for (FileKey key : there) {
      // Who lacks the valid file keeps all others: they may be the best there is.
      if (!lacking.contains(key.table()) && tidy(key, tables.get(key.table()))) {
        dropped.add(key.table());
      }
    }
    dropped.stream()
        .filter(table -> !tables.containsKey(table))
        .forEach(files.store()::dropDirectory);
  }

  // ---- files that should be here

  /** Returns the tables whose valid file is still missing. */
  private Set<String> fetchMissing(Map<String, Kept> tables) {
    Set<String> lacking = new HashSet<>();
    Set<String> unreachable = new HashSet<>();
    for (Kept kept : tables.values()) {
      TableConfig config = kept.config();
      FileKey key = new FileKey(config.id(), config.metadataTxn());
      if (config.metadataServers().contains(parts.server())
          && !verified.contains(key)
          && !verify(key)
          && !fetch(config, key, unreachable)) {
        lacking.add(config.id());
      }
    }
    return lacking;
  }

  private boolean verify(FileKey key) {
    boolean good = files.readable(key).isPresent();
    if (good) {
      verified.add(key);
    }
    return good;
  }

  private boolean fetch(TableConfig config, FileKey key, Set<String> unreachable) {
    Optional<MetadataFetch.Found> found = fetch.fromOthers(config, cache::peer, unreachable);
    if (found.isEmpty()) {
      return false;
    }
    try {
      files.keep(key, found.get().stored().file());
    } catch (SteleException e) {
      parts.events().accept(new MetadataEvent.Failed("storing " + key, e));
      return false;
    }
    verified.add(key);
    parts.events().accept(new MetadataEvent.Fetched(key.table(), key.txn(), found.get().server()));
    return true;
  }

  // ---- files that should not

  private boolean tidy(FileKey key, @Nullable Kept kept) {
    if (kept != null && kept.config().metadataTxn().equals(key.txn())) {
      return false;
    }
    long now = parts.clock().nanos();
    Note note = files.note(key, new Note(kept == null ? NO_TABLE : kept.version(), now));
    if (note == null) {
      return false;
    }
    boolean old = now - note.since() >= settings.abandonedAfter().toNanos();
    boolean hopeless =
        kept == null
            ? parts.coordination().isDropped(key.table()) || (old && isOfNoTable(key))
            : note.version() != kept.version() || superseded(key, kept) || (old && outdate(kept));
    boolean dropped = hopeless && files.dropNoted(key, note);
    if (dropped) {
      parts.events().accept(new MetadataEvent.Dropped(key.table(), key.txn()));
    }
    return dropped;
  }

  /**
   * Whether a file belongs to a table that was being made, and never came into being. One that was
   * changed, or is known here, did: the coordination service has lost it.
   */
  private boolean isOfNoTable(FileKey key) {
    return cache.byId(key.table()).isEmpty()
        && files.readable(key).filter(each -> each.metadata().sequence() == 1).isPresent();
  }

  private boolean superseded(FileKey key, Kept kept) {
    Optional<Metadata> valid =
        cache
            .byId(key.table())
            .map(MetadataCache.Known::metadata)
            .filter(each -> Objects.equals(each.txn(), kept.config().metadataTxn()));
    return valid.isPresent()
        && files
            .readable(key)
            .map(each -> each.metadata().sequence() <= valid.get().sequence())
            .orElse(false);
  }

  /** Gives the configuration another version: whoever has read this one has lost. */
  private boolean outdate(Kept kept) {
    try {
      return parts.coordination().replace(kept.config(), kept.version());
    } catch (SteleException e) {
      parts.events().accept(new MetadataEvent.Failed("outdating a change of METADATA", e));
      return false; // the next round sees what became of it
    }
  }
}
