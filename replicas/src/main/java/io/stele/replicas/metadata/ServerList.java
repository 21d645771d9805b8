package io.stele.replicas.metadata;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.metadata.Coordination.Kept;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * How servers come into the list of a table's metadata servers, and out of it.
 *
 * <p>A server is listed only if it has the file that is valid at that moment on its disk; and the
 * list never loses the last server that has it.
 */
final class ServerList {
  private final MetadataParts parts;
  private final MetadataSettings settings;
  private final MetadataFiles files;
  private final MetadataCache cache;
  private final TableLookup lookup;
  private final MetadataFetch fetch;

  ServerList(
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

  /** Makes this server one of them; from the beginning if another transaction became valid. */
  void join(String table) {
    for (int attempt = 0; attempt < settings.tries(); attempt++) {
      pause(attempt);
      Kept kept = lookup.get(table);
      FileKey key = new FileKey(table, kept.config().metadataTxn());
      boolean listed = kept.config().metadataServers().contains(parts.server());
      try (var _ = files.begin(key)) {
        boolean had = files.readable(key).isPresent();
        if (!had) {
          cache.tryRefreshServers();
          Optional<MetadataFetch.Found> found =
              fetch.fromOthers(kept.config(), cache::peer, new HashSet<>());
          if (found.isEmpty()) {
            continue; // perhaps because it has just become another
          }
          files.keep(key, found.get().stored().file());
          parts.events().accept(new MetadataEvent.Fetched(table, key.txn(), found.get().server()));
        }
        if (listed || add(kept)) {
          return;
        }
        // The file may be valid or not by now; if it is not, it is found to be left over.
      }
    }
    throw new UnavailableException(
        "server "
            + parts.server()
            + " could not become a metadata server of table "
            + table
            + ": no METADATA file could be had that stayed valid until then");
  }

  private boolean add(Kept kept) {
    List<String> servers = new ArrayList<>(kept.config().metadataServers());
    servers.add(parts.server());
    return swap(kept, servers);
  }

  /** Takes a server out, live or not. */
  void remove(String table, String server) {
    for (int attempt = 0; attempt < settings.tries(); attempt++) {
      pause(attempt);
      Kept kept = lookup.get(table);
      List<String> servers = new ArrayList<>(kept.config().metadataServers());
      if (!servers.remove(server)) {
        return;
      }
      if (servers.isEmpty()) {
        throw new InvalidRequestException(
            "server "
                + server
                + " is the last metadata server of table "
                + kept.config().name()
                + ": another must join before it leaves");
      }
      checkKept(kept, servers);
      if (swap(kept, servers)) {
        return;
      }
    }
    throw new UnavailableException(
        "server " + server + " could not leave the metadata servers of table " + table);
  }

  /** That somebody who stays has the valid file: it would be lost with those that leave. */
  private void checkKept(Kept kept, List<String> staying) {
    TableConfig config = kept.config();
    boolean here =
        staying.contains(parts.server())
            && files.readable(new FileKey(config.id(), config.metadataTxn())).isPresent();
    if (here) {
      return;
    }
    cache.tryRefreshServers();
    Set<String> unreachable = new HashSet<>();
    if (fetch.fromOthers(config.withMetadataServers(staying), cache::peer, unreachable).isEmpty()) {
      throw new UnavailableException(
          "none of the metadata servers "
              + staying
              + " that would be left has METADATA "
              + config.metadataTxn()
              + " of table "
              + config.name());
    }
  }

  private boolean swap(Kept kept, List<String> servers) {
    boolean swapped;
    try {
      swapped =
          parts.coordination().replace(kept.config().withMetadataServers(servers), kept.version());
    } catch (OutcomeUnknownException e) {
      return false; // the next attempt sees what became of it
    }
    if (swapped) {
      parts.events().accept(new MetadataEvent.ServersChanged(kept.config().name(), servers));
    }
    return swapped;
  }

  private void pause(int attempt) {
    if (attempt > 1) {
      LockSupport.parkNanos(settings.retryPause().toNanos());
    }
  }
}
