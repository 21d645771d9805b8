package io.stele.replicas.serve;

import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.memory.MemoryBudget;
import io.stele.replicas.push.Duty;
import java.util.Map;

/**
 * What a server of replicated tables did since it was opened, and what it has at this moment; for
 * metrics.
 *
 * @param replicas how many there are in each role
 * @param unconfirmed changes of all replicas here that the target furthest behind has not confirmed
 * @param mostUnconfirmed those of the replica that has most of them
 */
public record ReplicaFigures(
    Map<Duty.Role, Integer> replicas,
    long unconfirmed,
    long mostUnconfirmed,
    MemoryBudget memory,
    CommitLog.Stats log,
    BlockCache.Stats cache) {
  public ReplicaFigures {
    replicas = Map.copyOf(replicas);
  }
}
