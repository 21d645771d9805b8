package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.metadata.Coordination.Kept;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One change at its coordinating metadata server: the new file goes to the disks of a majority,
 * then the coordination service is asked to swap the transaction, if neither that nor the list of
 * metadata servers has changed meanwhile. The version of the configuration stands for both.
 *
 * <p>A crash anywhere leaves files that are not valid; {@link FileUpkeep} finds them.
 */
final class ChangeCommit {
  private final MetadataParts parts;
  private final MetadataSettings settings;
  private final MetadataFiles files;
  private final MetadataCache cache;
  private final TableLookup lookup;
  private final Kept before;
  private final MetadataChange change;
  private final Metadata after;

  ChangeCommit(
      MetadataParts parts,
      MetadataSettings settings,
      MetadataFiles files,
      MetadataCache cache,
      TableLookup lookup,
      Kept before,
      Metadata base,
      MetadataChange change) {
    this.parts = parts;
    this.settings = settings;
    this.files = files;
    this.cache = cache;
    this.lookup = lookup;
    this.before = before;
    this.change = change;
    this.after = ChangedMetadata.of(base, change);
  }

  Metadata run() {
    FileKey key = new FileKey(after.table(), after.txn());
    if (files.store().has(key)) {
      throw new ConflictException(key + " is there already: each attempt must have its own name");
    }
    Bytes file = MetadataFile.encode(after);
    try (var _ = files.begin(key)) {
      cache.tryRefreshServers();
      FileQuorum quorum =
          FileQuorum.ask(parts, files, cache, lookup, key, file, before.config().metadataServers());
      try {
        quorum.await();
        if (!swap()) {
          throw new ConflictException(
              "METADATA of table "
                  + before.config().name()
                  + " or the list of its metadata servers changed during the change from "
                  + change.base()
                  + " to "
                  + change.txn());
        }
      } catch (ConflictException | UnavailableException e) {
        quorum.takeBack();
        parts
            .events()
            .accept(
                new MetadataEvent.Aborted(
                    after.table(), after.txn(), String.valueOf(e.getMessage())));
        throw e;
      }
    }
    return after;
  }

  /** Whether the new transaction is valid now; false means that it will never be. */
  private boolean swap() {
    try {
      return parts
              .coordination()
              .replace(before.config().withMetadataTxn(after.txn()), before.version())
          || isValid(lookup.find(after.table()));
    } catch (OutcomeUnknownException e) {
      return resolve(e);
    }
  }

  /** As it may be, too, if the same change was sent to two servers. */
  private boolean isValid(Optional<Kept> kept) {
    return kept.isPresent() && kept.get().config().metadataTxn().equals(after.txn());
  }

  /** Finds out what became of the swap; as long as that is unknown, so is the change. */
  private boolean resolve(OutcomeUnknownException unanswered) {
    for (int attempt = 0; attempt < settings.tries(); attempt++) {
      if (attempt > 0) {
        LockSupport.parkNanos(settings.retryPause().toNanos());
      }
      try {
        Optional<Boolean> swapped = look();
        if (swapped.isPresent()) {
          return swapped.get();
        }
      } catch (SteleException e) {
        unanswered.addSuppressed(e);
      }
    }
    throw new OutcomeUnknownException(
        "whether METADATA "
            + after.txn()
            + " of table "
            + before.config().name()
            + " became valid is not known: the coordination service did not answer",
        unanswered);
  }

  private Optional<Boolean> look() {
    Optional<Kept> found = lookup.find(after.table());
    if (found.isEmpty()) {
      return Optional.of(false); // the table is gone, and all its transactions with it
    }
    Kept now = found.get();
    String valid = now.config().metadataTxn();
    if (isValid(found)) {
      return Optional.of(true);
    }
    if (now.version() == before.version()) {
      // The request may still be on its way: a new version sees to it that it comes too late.
      return parts.coordination().replace(now.config(), now.version())
          ? Optional.of(false)
          : Optional.empty();
    }
    if (valid.equals(change.base())) {
      return Optional.of(false);
    }
    // Another is valid: in the place of this one, or based on it. Its number tells which.
    return cache
        .refresh(after.table())
        .map(MetadataCache.Known::metadata)
        .filter(each -> each.sequence() == after.sequence())
        .map(each -> each.txn().equals(after.txn()));
  }
}
