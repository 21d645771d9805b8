package io.stele.datasets.serve;

import io.stele.base.event.Event;

/** What happens to datasets on a node. */
public sealed interface DatasetEvent extends Event {
  /** All shards that this node is to have of a version are here. */
  record VersionLoaded(String dataset, String version, int shards, int of) implements DatasetEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "dataset "
          + dataset
          + ": loaded "
          + shards
          + " of "
          + of
          + " shards of version "
          + version;
    }
  }

  /** Clients get another version. */
  record VersionSwitched(String dataset, String from, String to) implements DatasetEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "dataset "
          + dataset
          + ": clients get version "
          + to
          + (from.isEmpty() ? "" : " instead of " + from);
    }
  }

  /** A version could not be loaded. */
  record VersionFailed(String dataset, String version, String reason) implements DatasetEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "dataset " + dataset + ": version " + version + " cannot be loaded: " + reason;
    }
  }

  /** A version is gone from this node. */
  record VersionRemoved(String dataset, String version) implements DatasetEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "dataset " + dataset + ": removed version " + version;
    }
  }

  /** A shard on this node's disk is not what was written; it is loaded again. */
  record ShardDamaged(String dataset, String version, int shard, String reason)
      implements DatasetEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "dataset "
          + dataset
          + ": shard "
          + shard
          + " of version "
          + version
          + " is loaded again: "
          + reason;
    }
  }

  /** Something that is tried again did not work; what is served stays as it is. */
  record UpkeepFailed(String what, String reason) implements DatasetEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "datasets: " + what + " failed: " + reason;
    }
  }
}
