package io.stele.replicas.metadata;

import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks metadata servers for changes: whichever answers, and again from what is valid by then if
 * another change came first.
 *
 * <pre>{@code
 * requester.change(table, metadata ->
 *     metadata.partition(id).flatMap(Partition::split).isPresent()
 *         ? Optional.empty() // done, by whomever
 *         : Optional.of(new MetadataChange.BeginSplit(id, split)));
 * }</pre>
 */
public final class ChangeRequester {
  private final MetadataParts parts;
  private final MetadataSettings settings;
  private final MetadataCache cache;
  private final MetadataPeer self;

  ChangeRequester(
      MetadataParts parts, MetadataSettings settings, MetadataCache cache, MetadataPeer self) {
    this.parts = parts;
    this.settings = settings;
    this.cache = cache;
    this.self = self;
  }

  /**
   * Changes a table's METADATA.
   *
   * @param wanted the change that is to be made of what is valid; none if there is nothing (more)
   *     to do. Asked again if another change came first, or if the outcome is not known.
   * @return what is valid then
   * @throws ConflictException if others were always first
   * @throws UnavailableException if no metadata server could make the change
   */
  public Metadata change(
      String table, Function<Metadata, Optional<MetadataChange.Operation>> wanted) {
    @Nullable SteleException last = null;
    for (int attempt = 0; attempt < settings.tries(); attempt++) {
      if (attempt > 0) {
        long pause = settings.retryPause().toNanos();
        LockSupport.parkNanos(pause / 2 + parts.random().nextLong(pause));
      }
      MetadataCache.Known known =
          cache
              .refresh(table)
              .orElseThrow(
                  () ->
                      new NotFoundException(
                          "replicated table with id " + table + ", or its METADATA: not there"));
      Optional<MetadataChange.Operation> operation = wanted.apply(known.metadata());
      if (operation.isEmpty()) {
        return known.metadata();
      }
      try {
        return ask(known, operation.get());
      } catch (ConflictException | OutcomeUnknownException | UnavailableException e) {
        last = e;
      }
    }
    throw last == null ? new UnavailableException("no attempt to change " + table) : last;
  }

  private Metadata ask(MetadataCache.Known known, MetadataChange.Operation operation) {
    String table = known.config().id();
    List<String> failures = new ArrayList<>();
    for (String server : order(known.config().metadataServers())) {
      Optional<MetadataPeer> peer =
          server.equals(parts.server()) ? Optional.of(self) : cache.peer(server);
      if (peer.isEmpty()) {
        failures.add(server + " is not running");
        continue;
      }
      MetadataChange change =
          new MetadataChange(known.metadata().txn(), RandomNames.next(parts.random()), operation);
      try {
        Metadata changed = peer.get().change(table, change);
        cache.offer(changed);
        return changed;
      } catch (NotServingException | UnavailableException | CorruptDataException e) {
        failures.add(server + ": " + e.getMessage());
      }
    }
    throw new UnavailableException(
        "no metadata server of table " + known.config().name() + " made the change: " + failures);
  }

  /** This one first, for it need not be reached; then the others in any order. */
  private List<String> order(List<String> servers) {
    List<String> rest = new ArrayList<>(servers);
    List<String> order = new ArrayList<>();
    if (rest.remove(parts.server())) {
      order.add(parts.server());
    }
    while (!rest.isEmpty()) {
      order.add(rest.remove(parts.random().nextInt(rest.size())));
    }
    return order;
  }
}
