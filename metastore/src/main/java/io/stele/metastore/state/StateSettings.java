package io.stele.metastore.state;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.engine.StoreSettings;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.MetastoreLimits;

/**
 * How the state is kept.
 *
 * @param store of the engine; the log is always somebody else's
 * @param cache for blocks of the store's files
 * @param newestVersion the newest cluster version that this member agrees to
 */
public record StateSettings(
    StoreSettings store, ByteSize cache, MetastoreLimits limits, int newestVersion) {
  public static final StateSettings DEFAULT =
      new StateSettings(
          StoreSettings.DEFAULT,
          ByteSize.ofMiB(128),
          MetastoreLimits.DEFAULT,
          ClusterVersion.NEWEST);

  public StateSettings {
    if (newestVersion < ClusterVersion.FIRST || newestVersion > ClusterVersion.NEWEST) {
      throw new InvalidRequestException(
          "newest cluster version is "
              + newestVersion
              + ": must be from "
              + ClusterVersion.FIRST
              + " to "
              + ClusterVersion.NEWEST);
    }
    store = store.withLogged(false);
  }

  public StateSettings withStore(StoreSettings value) {
    return new StateSettings(value, cache, limits, newestVersion);
  }

  public StateSettings withLimits(MetastoreLimits value) {
    return new StateSettings(store, cache, value, newestVersion);
  }

  public StateSettings withNewestVersion(int value) {
    return new StateSettings(store, cache, limits, value);
  }
}
