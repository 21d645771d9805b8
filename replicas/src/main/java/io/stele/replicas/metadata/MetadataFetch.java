package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.metadata.MetadataStore.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Gets the valid file of a table from wherever it is: the own disk, else any metadata server. */
final class MetadataFetch {
  /** A file, and the server that had it. */
  record Found(Stored stored, String server) {}

  private final MetadataParts parts;
  private final MetadataStore store;

  MetadataFetch(MetadataParts parts, MetadataStore store) {
    this.parts = parts;
    this.store = store;
  }

  /**
   * The file that is valid by a configuration; none if nobody gives it.
   *
   * @param unreachable servers that need not be asked; those that do not answer are added
   */
  Optional<Found> valid(
      TableConfig config, Function<String, Optional<MetadataPeer>> peers, Set<String> unreachable) {
    Optional<Stored> own = own(new FileKey(config.id(), config.metadataTxn()));
    return own.isPresent()
        ? Optional.of(new Found(own.get(), parts.server()))
        : fromOthers(config, peers, unreachable);
  }

  private Optional<Stored> own(FileKey key) {
    try {
      return store.read(key);
    } catch (CorruptDataException e) {
      parts
          .events()
          .accept(
              new MetadataEvent.Corrupt(key.table(), key.txn(), String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  /** The same, whatever is on the own disk. */
  Optional<Found> fromOthers(
      TableConfig config, Function<String, Optional<MetadataPeer>> peers, Set<String> unreachable) {
    FileKey key = new FileKey(config.id(), config.metadataTxn());
    for (String server : shuffled(config.metadataServers())) {
      if (server.equals(parts.server()) || unreachable.contains(server)) {
        continue;
      }
      try {
        Optional<Bytes> file =
            peers.apply(server).flatMap(each -> each.fetch(key.table(), key.txn()));
        if (file.isPresent()) {
          return Optional.of(new Found(checked(key, server, file.get()), server));
        }
      } catch (UnavailableException | OutcomeUnknownException e) {
        unreachable.add(server);
      } catch (SteleException e) {
        // It has not got it, or not as it was written: another may.
        parts.events().accept(new MetadataEvent.Failed("fetching " + key + " from " + server, e));
      }
    }
    return Optional.empty();
  }

  /** So that not all ask the same server first. */
  private List<String> shuffled(List<String> servers) {
    List<String> rest = new ArrayList<>(servers);
    List<String> order = new ArrayList<>();
    while (!rest.isEmpty()) {
      order.add(rest.remove(parts.random().nextInt(rest.size())));
    }
    return order;
  }

  private static Stored checked(FileKey key, String server, Bytes file) {
    String name = key + " from " + server;
    Metadata metadata = MetadataFile.decode(name, file);
    FileKey found = new FileKey(metadata.table(), metadata.txn());
    if (!found.equals(key)) {
      throw new CorruptDataException(name, 0, key.toString(), found.toString());
    }
    return new Stored(file, metadata);
  }
}
