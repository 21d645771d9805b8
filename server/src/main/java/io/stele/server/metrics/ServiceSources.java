package io.stele.server.metrics;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.base.metric.Waits;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLog;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.raft.Standing;
import io.stele.replicas.push.Duty;
import io.stele.replicas.serve.ReplicaFigures;
import io.stele.tables.ServerFigures;
import io.stele.tables.tablet.TabletState;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The values that the services of a node know of themselves. */
public final class ServiceSources {
  private static final String TABLES = "tables";
  private static final String REPLICAS = "replicas";

  private ServiceSources() {}

  /**
   * Of a tablet server.
   *
   * @param figures nothing while there is none
   */
  public static MetricSource tables(Supplier<Optional<ServerFigures>> figures) {
    return into -> figures.get().ifPresent(known -> tables(known, into));
  }

  private static void tables(ServerFigures figures, Readings into) {
    for (TabletState state : TabletState.values()) {
      if (state != TabletState.UNKNOWN) {
        into.set(
            Metric.TABLETS,
            figures.tablets().getOrDefault(state, 0),
            state.name().toLowerCase(Locale.ROOT));
      }
    }
    into.set(Metric.TABLET_FILES, figures.files());
    into.set(Metric.CHAIN_LONGEST, figures.longestChain());
    into.set(Metric.COMPACTION_DEBT, figures.excessFiles());
    into.set(Metric.LOG_HELD, figures.logHeldBytes(), TABLES);
    log(TABLES, figures.log(), into);
    memory(TABLES, figures.memoryBytes(), figures.memoryLimit(), figures.memoryWaits(), into);
    cache(TABLES, figures.cache(), into);
  }

  /**
   * Of a server of replicated tables.
   *
   * @param figures nothing while there is none
   */
  public static MetricSource replicas(Supplier<Optional<ReplicaFigures>> figures) {
    return into -> figures.get().ifPresent(known -> replicas(known, into));
  }

  private static void replicas(ReplicaFigures figures, Readings into) {
    for (Duty.Role role : Duty.Role.values()) {
      into.set(
          Metric.REPLICAS,
          figures.replicas().getOrDefault(role, 0),
          role.name().toLowerCase(Locale.ROOT));
    }
    into.set(Metric.REPLICA_LAG, figures.unconfirmed());
    into.set(Metric.REPLICA_WORST_LAG, figures.mostUnconfirmed());
    log(REPLICAS, figures.log(), into);
    memory(
        REPLICAS,
        figures.memory().used(),
        figures.memory().limit(),
        figures.memory().waits(),
        into);
    cache(REPLICAS, figures.cache(), into);
  }

  private static void log(String service, CommitLog.Stats stats, Readings into) {
    into.set(Metric.LOG_SYNC, stats.syncs(), service);
    into.set(Metric.LOG_RECORDS, stats.records(), service);
    into.set(Metric.LOG_BYTES, stats.bytes(), service);
    into.set(Metric.LOG_QUEUE, stats.queuedBytes(), service);
    into.set(Metric.LOG_THROTTLED, stats.throttled(), service);
    into.nanos(Metric.LOG_THROTTLED_TIME, stats.throttledNanos(), service);
  }

  private static void memory(String service, long used, long limit, Waits waits, Readings into) {
    into.set(Metric.MEMORY_UNFLUSHED, used, service);
    into.set(Metric.MEMORY_LIMIT, limit, service);
    into.set(Metric.MEMORY_THROTTLED, waits.count(), service);
    into.nanos(Metric.MEMORY_THROTTLED_TIME, waits.nanos(), service);
  }

  private static void cache(String service, BlockCache.Stats stats, Readings into) {
    into.set(Metric.CACHE_HITS, stats.hits(), service);
    into.set(Metric.CACHE_MISSES, stats.misses(), service);
    into.set(Metric.CACHE_WEIGHT, stats.residentWeight(), service, "resident");
    into.set(Metric.CACHE_WEIGHT, stats.adaptiveWeight(), service, "adaptive");
  }

  /** Of a member of the metastore. */
  public static MetricSource metastore(Supplier<MetastoreStatus> status) {
    return into -> metastore(status.get(), into);
  }

  private static void metastore(MetastoreStatus status, Readings into) {
    Standing standing = status.standing();
    into.set(Metric.RAFT_LEADER, flag(standing.role() == Standing.Role.LEADER));
    into.set(Metric.RAFT_HAS_LEADER, flag(standing.leader().isPresent()));
    into.set(Metric.RAFT_MEMBERS, standing.members().size());
    into.set(Metric.RAFT_TERM, standing.term());
    into.set(Metric.RAFT_COMMITTED, standing.committed());
    into.set(Metric.RAFT_APPLIED, standing.applied());
    into.set(Metric.RAFT_LAG, standing.committed() - standing.applied());
    into.set(Metric.RAFT_LOG, status.logBytes());
    into.set(Metric.REVISION, status.revision());
    into.set(Metric.COMPACTED, status.compacted());
    into.set(Metric.SESSIONS, status.sessions());
    into.set(Metric.LOCKS, status.locks());
    into.set(Metric.WATCHES, status.watches());
    into.set(Metric.TRANSACTIONS, status.transactions());
    into.set(Metric.STATE, status.stateBytes());
    into.set(Metric.QUOTA, status.quotaBytes());
    into.set(Metric.NO_SPACE, flag(status.noSpace()));
  }

  /**
   * Of a node of datasets.
   *
   * @param status as the node alone sees them
   */
  public static MetricSource datasets(Supplier<List<DatasetStatus>> status) {
    return into -> datasets(status.get(), into);
  }

  private static void datasets(List<DatasetStatus> datasets, Readings into) {
    Map<VersionState, Integer> versions = new EnumMap<>(VersionState.class);
    long shards = 0;
    for (DatasetStatus dataset : datasets) {
      into.set(Metric.DATASET_SERVED, flag(!dataset.serving().isEmpty()), dataset.dataset());
      for (NodeVersion own :
          dataset.versions().stream().flatMap(v -> v.nodes().stream()).toList()) {
        versions.merge(own.state(), 1, Integer::sum);
        shards += own.state() == VersionState.ACTIVE ? own.shards().size() : 0;
      }
    }
    into.set(Metric.DATASETS, datasets.size());
    into.set(Metric.DATASET_SHARDS, shards);
    for (VersionState state : VersionState.values()) {
      into.set(
          Metric.DATASET_VERSIONS,
          versions.getOrDefault(state, 0),
          state.name().toLowerCase(Locale.ROOT));
    }
  }

  private static int flag(boolean value) {
    return value ? 1 : 0;
  }
}
