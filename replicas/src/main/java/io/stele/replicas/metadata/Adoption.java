package io.stele.replicas.metadata;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.replicas.metadata.Coordination.Kept;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Lists the tables that this server knows in a coordination service that has lost them, or has an
 * older METADATA of them, as after the restore of a backup.
 *
 * <p>What the service lists never becomes older by this: METADATA with a lower sequence is replaced
 * by one with a higher sequence, and a table whose drop is on record is left alone. So it may run
 * on any number of servers, in any order and more than once.
 */
final class Adoption {
  private final MetadataParts parts;
  private final MetadataSettings settings;
  private final MetadataFiles files;
  private final MetadataCache cache;
  private final MetadataFetch fetch;

  Adoption(
      MetadataParts parts,
      MetadataSettings settings,
      MetadataFiles files,
      MetadataCache cache,
      MetadataFetch fetch) {
    this.parts = parts;
    this.settings = settings;
    this.files = files;
    this.cache = cache;
    this.fetch = fetch;
  }

  /**
   * Lists all of them.
   *
   * @param force replaces METADATA that cannot be had even if a server that may have it is away
   * @return a line for each table, for people
   */
  List<String> run(boolean force) {
    List<String> done = new ArrayList<>();
    for (MetadataCache.Known known : cache.tables()) {
      done.add("table \"" + known.config().name() + "\": " + adopt(known, force));
    }
    return done;
  }

  private String adopt(MetadataCache.Known known, boolean force) {
    for (int attempt = 0; attempt < settings.tries(); attempt++) {
      Optional<Kept> kept = parts.coordination().table(known.config().name());
      Optional<String> reason = reasonNotTo(known, kept, force);
      if (reason.isPresent()) {
        return reason.get();
      }
      if (list(known, kept)) {
        long sequence = known.metadata().sequence();
        parts
            .events()
            .accept(
                new MetadataEvent.Adopted(known.config().name(), known.config().id(), sequence));
        return "listed again, with METADATA " + sequence + " of this server";
      }
    }
    return "changed by others during each of " + settings.tries() + " attempts to list it";
  }

  private Optional<String> reasonNotTo(
      MetadataCache.Known known, Optional<Kept> kept, boolean force) {
    if (kept.isEmpty()) {
      return parts.coordination().isDropped(known.config().id())
          ? Optional.of("not listed, since its drop is on record")
          : Optional.empty();
    }
    TableConfig listed = kept.get().config();
    if (!listed.id().equals(known.config().id())) {
      return Optional.of("not listed, since another table (" + listed.id() + ") has its name");
    }
    Set<String> away = new HashSet<>();
    Optional<Metadata> valid =
        fetch.valid(listed, cache::peer, away).map(each -> each.stored().metadata());
    if (valid.isPresent()) {
      return valid.get().sequence() >= known.metadata().sequence()
          ? Optional.of("listed already, with METADATA " + valid.get().sequence())
          : Optional.empty();
    }
    listed.metadataServers().stream()
        .filter(each -> !each.equals(parts.server()) && cache.server(each).isEmpty())
        .forEach(away::add);
    return away.isEmpty() || force
        ? Optional.empty()
        : Optional.of(
            "left as it is: METADATA "
                + listed.metadataTxn()
                + " is listed, which servers "
                + away
                + " may have, that do not answer; --force replaces it by METADATA "
                + known.metadata().sequence()
                + " of this server");
  }

  private boolean list(MetadataCache.Known known, Optional<Kept> kept) {
    Metadata metadata = known.metadata();
    FileKey key = new FileKey(metadata.table(), metadata.txn());
    TableConfig config =
        kept.map(Kept::config)
            .orElse(known.config())
            .withMetadataTxn(metadata.txn())
            .withMetadataServers(List.of(parts.server())); // the keeper adds the others
    try (var _ = files.begin(key)) {
      files.keep(key, MetadataFile.encode(metadata));
      return kept.isPresent()
          ? parts.coordination().replace(config, kept.get().version())
          : parts.coordination().create(config);
    } catch (OutcomeUnknownException e) {
      return false; // the next attempt sees what became of it
    }
  }
}
