package io.stele.engine;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.cache.InMemoryGroups;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.merge.Resolution;

/**
 * How a {@link Store} works.
 *
 * @param resolution which of several cells a reader believes; for good, but for the grace time
 * @param logged false if someone else keeps the log (the metastore's Raft): transactions then come
 *     from outside, and what was not flushed is gone after a crash
 * @param memFragmentBytes at which the mem fragment is frozen and flushed
 * @param memoryBytes of all mem fragments together; writers wait when there is more
 * @param autoCompact whether chains are compacted in the background
 * @param inMemory families whose blocks are read ahead and kept in the cache, as far as they fit
 */
public record StoreSettings(
    Resolution resolution,
    boolean logged,
    long memFragmentBytes,
    long memoryBytes,
    boolean autoCompact,
    PurgePolicy purge,
    InMemoryGroups inMemory,
    FragmentSettings fragments,
    CompactionSettings compaction,
    CommitLogSettings commitLog) {
  public static final StoreSettings DEFAULT =
      new StoreSettings(
          Resolution.BY_COMMIT,
          true,
          64L << 20,
          256L << 20,
          true,
          PurgePolicy.NONE,
          InMemoryGroups.NONE,
          FragmentSettings.DEFAULT,
          CompactionSettings.DEFAULT,
          CommitLogSettings.DEFAULT);

  public StoreSettings {
    if (memFragmentBytes < 1 || memoryBytes < memFragmentBytes) {
      throw new InvalidRequestException(
          "memory of "
              + memoryBytes
              + " bytes for mem fragments of "
              + memFragmentBytes
              + ": must be at least as much");
    }
  }

  public StoreSettings withResolution(Resolution value) {
    return new StoreSettings(
        value,
        logged,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        purge,
        inMemory,
        fragments,
        compaction,
        commitLog);
  }

  public StoreSettings withLogged(boolean value) {
    return new StoreSettings(
        resolution,
        value,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        purge,
        inMemory,
        fragments,
        compaction,
        commitLog);
  }

  public StoreSettings withMemory(long fragmentBytes, long allBytes) {
    return new StoreSettings(
        resolution,
        logged,
        fragmentBytes,
        allBytes,
        autoCompact,
        purge,
        inMemory,
        fragments,
        compaction,
        commitLog);
  }

  public StoreSettings withAutoCompact(boolean value) {
    return new StoreSettings(
        resolution,
        logged,
        memFragmentBytes,
        memoryBytes,
        value,
        purge,
        inMemory,
        fragments,
        compaction,
        commitLog);
  }

  public StoreSettings withPurge(PurgePolicy value) {
    return new StoreSettings(
        resolution,
        logged,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        value,
        inMemory,
        fragments,
        compaction,
        commitLog);
  }

  public StoreSettings withInMemory(InMemoryGroups value) {
    return new StoreSettings(
        resolution,
        logged,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        purge,
        value,
        fragments,
        compaction,
        commitLog);
  }

  public StoreSettings withFragments(FragmentSettings value) {
    return new StoreSettings(
        resolution,
        logged,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        purge,
        inMemory,
        value,
        compaction,
        commitLog);
  }

  public StoreSettings withCompaction(CompactionSettings value) {
    return new StoreSettings(
        resolution,
        logged,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        purge,
        inMemory,
        fragments,
        value,
        commitLog);
  }

  public StoreSettings withCommitLog(CommitLogSettings value) {
    return new StoreSettings(
        resolution,
        logged,
        memFragmentBytes,
        memoryBytes,
        autoCompact,
        purge,
        inMemory,
        fragments,
        compaction,
        value);
  }
}
