package io.stele.tables.meta;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.meta.MetaTable.Change;
import java.util.Optional;

/**
 * The configuration of META0's tablet in the root store. Only who has taken it may save it, and
 * only until somebody else has: a server that lost META0 without knowing can no longer say where it
 * is and what its files are. Any number of threads.
 */
final class RootTablet {
  private final RootStore store;

  @GuardedBy("this")
  private long version; // of what was taken or saved last

  @GuardedBy("this")
  private Optional<Bytes> unsettled = Optional.empty(); // may or may not have been saved

  RootTablet(RootStore store) {
    this.store = store;
  }

  /** What the root store has, for whoever is only curious. */
  Optional<TabletConfig> read() {
    return store.load().map(kept -> RootConfig.decode(kept.config()));
  }

  /** What the root store has, for whoever is going to save it. */
  synchronized Optional<TabletConfig> take() {
    Optional<RootStore.Root> kept = store.load();
    Optional<TabletConfig> config = kept.map(each -> RootConfig.decode(each.config()));
    version = kept.map(RootStore.Root::version).orElse(0L);
    unsettled = Optional.empty();
    return config;
  }

  /**
   * Saves the one tablet; returns when it is durable.
   *
   * @throws ConflictException if another has saved it since it was taken
   */
  synchronized void save(Change change) {
    checkOne(change);
    settle();
    Bytes config = RootConfig.encode(change.saved().getFirst());
    try {
      version = store.save(config, version);
    } catch (OutcomeUnknownException | UnavailableException e) {
      unsettled = Optional.of(config);
      throw e;
    }
  }

  /**
   * Saves the one tablet if what is kept is as it must be; returns when it is durable.
   *
   * @throws ConflictException also if another has saved it meanwhile
   */
  synchronized void save(Change change, ConfigGuard guard) {
    checkOne(change);
    TabletConfig config = change.saved().getFirst();
    Optional<RootStore.Root> kept = store.load();
    guard.check(config.key(), kept.map(each -> RootConfig.decode(each.config())));
    version = store.save(RootConfig.encode(config), kept.map(RootStore.Root::version).orElse(0L));
  }

  private static void checkOne(Change change) {
    if (change.saved().size() != 1 || !change.erased().isEmpty()) {
      throw new InvalidRequestException(
          "the root store keeps one tablet: "
              + change.saved().size()
              + " to be saved, "
              + change.erased().size()
              + " to be removed");
    }
  }

  /** After a save of which the outcome is not known: if that is what is kept, it was ours. */
  @GuardedBy("this")
  private void settle() {
    if (unsettled.isPresent()) {
      Optional<RootStore.Root> kept = store.load();
      if (kept.map(RootStore.Root::config).equals(unsettled)) {
        version = kept.orElseThrow().version();
      }
      unsettled = Optional.empty();
    }
  }
}
