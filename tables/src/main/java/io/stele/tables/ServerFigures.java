package io.stele.tables;

import io.stele.base.metric.Waits;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLog;
import io.stele.tables.tablet.TabletState;
import java.util.Map;

/**
 * What a tablet server did since it was opened, and what it has at this moment; for metrics.
 *
 * @param tablets how many there are in each state
 * @param files in all chains; a file that several tablets share counts once for each
 * @param longestChain files of the longest chain, each of which a read may have to look at
 * @param excessFiles beyond one in each chain: what compactions have not merged yet
 * @param memoryBytes of changes that are in the log alone
 * @param memoryLimit writers wait when so many bytes are in memory
 * @param memoryWaits how often and how long they did
 * @param logHeldBytes of log files that are still needed, the current one apart
 */
public record ServerFigures(
    Map<TabletState, Integer> tablets,
    long files,
    int longestChain,
    long excessFiles,
    long memoryBytes,
    long memoryLimit,
    Waits memoryWaits,
    long logHeldBytes,
    CommitLog.Stats log,
    BlockCache.Stats cache) {
  public ServerFigures {
    tablets = Map.copyOf(tablets);
  }
}
