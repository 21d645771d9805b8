package io.stele.metastore.state;

import io.stele.base.settings.ByteSize;
import io.stele.engine.StoreSettings;
import io.stele.metastore.command.MetastoreLimits;

/**
 * How the state is kept.
 *
 * @param store of the engine; the log is always somebody else's
 * @param cache for blocks of the store's files
 */
public record StateSettings(StoreSettings store, ByteSize cache, MetastoreLimits limits) {
  public static final StateSettings DEFAULT =
      new StateSettings(StoreSettings.DEFAULT, ByteSize.ofMiB(128), MetastoreLimits.DEFAULT);

  public StateSettings {
    store = store.withLogged(false);
  }

  public StateSettings withStore(StoreSettings value) {
    return new StateSettings(value, cache, limits);
  }

  public StateSettings withLimits(MetastoreLimits value) {
    return new StateSettings(store, cache, value);
  }
}
