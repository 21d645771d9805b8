package io.stele.server.metrics;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.event.Subscription;
import io.stele.datasets.serve.DatasetEvent;
import io.stele.metastore.node.NodeEvent;
import io.stele.metastore.raft.RaftEvent;
import io.stele.replicas.push.ReplicaEvent;
import io.stele.tables.event.TableEvent;
import io.stele.tables.master.MasterEvent;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happens: the same events that the log tells, so that the two agree. A counter is
 * shown from the start, as 0, so that its first increase is seen.
 */
public final class EventCounts implements MetricSource {
  /** A counter and the value of its label; none for one without labels. */
  private record Count(Metric metric, String label) {}

  private final Map<Count, LongAdder> counts = new ConcurrentHashMap<>();

  private EventCounts() {
    for (Event.Level level : Event.Level.values()) {
      add(Metric.EVENTS, level(level), 0);
    }
    for (Metric plain :
        new Metric[] {
          Metric.FLUSHES,
          Metric.FLUSH_CELLS,
          Metric.FLUSH_TIME,
          Metric.RECOVERIES,
          Metric.RECOVERED_RECORDS,
          Metric.SERVERS_LOST,
          Metric.SESSIONS_EXPIRED,
          Metric.DATASET_SWITCHES,
          Metric.FILES_UNWRITTEN,
          Metric.FILES_UNREADABLE
        }) {
      add(plain, "", 0);
    }
    for (String kept : new String[] {"true", "false"}) {
      add(Metric.COMPACTIONS, kept, 0);
    }
    for (String change : new String[] {"loaded", "unloaded", "lost", "split", "joined"}) {
      add(Metric.TABLET_CHANGES, change, 0);
    }
    for (String outcome : new String[] {"ok", "failed"}) {
      add(Metric.MOVES, outcome, 0);
    }
    for (String change : new String[] {"gained", "lost"}) {
      add(Metric.RAFT_LEADER_CHANGES, change, 0);
    }
    for (String change :
        new String[] {"opened", "dropped", "filled", "lost", "corrupt", "different"}) {
      add(Metric.REPLICA_EVENTS, change, 0);
    }
    for (String outcome : new String[] {"loaded", "failed", "removed"}) {
      add(Metric.DATASET_LOADS, outcome, 0);
    }
  }

  /** Counts from now on. */
  public static EventCounts start(Events events) {
    EventCounts counts = new EventCounts();
    // Never closed: the bus goes with the server.
    Subscription _ = events.subscribe(Event.class, counts::see);
    return counts;
  }

  private void see(Event event) {
    add(Metric.EVENTS, level(event.level()), 1);
    switch (event) {
      case TableEvent table -> see(table);
      case MasterEvent master -> see(master);
      case RaftEvent.LeadTaken _ -> add(Metric.RAFT_LEADER_CHANGES, "gained", 1);
      case RaftEvent.LeadLost _ -> add(Metric.RAFT_LEADER_CHANGES, "lost", 1);
      case NodeEvent.SessionExpired _ -> add(Metric.SESSIONS_EXPIRED, "", 1);
      case ReplicaEvent replica -> see(replica);
      case DatasetEvent dataset -> see(dataset);
      default -> {}
    }
  }

  private void see(TableEvent event) {
    switch (event) {
      case TableEvent.Flushed flushed -> {
        add(Metric.FLUSHES, "", 1);
        add(Metric.FLUSH_CELLS, "", flushed.cells());
        add(Metric.FLUSH_TIME, "", flushed.nanos());
      }
      case TableEvent.Compacted compacted ->
          add(Metric.COMPACTIONS, String.valueOf(compacted.kept()), 1);
      case TableEvent.Loaded loaded -> {
        add(Metric.TABLET_CHANGES, "loaded", 1);
        if (loaded.replayed() > 0) {
          add(Metric.RECOVERIES, "", 1);
          add(Metric.RECOVERED_RECORDS, "", loaded.replayed());
        }
      }
      case TableEvent.Unloaded _ -> add(Metric.TABLET_CHANGES, "unloaded", 1);
      case TableEvent.TabletLost _ -> add(Metric.TABLET_CHANGES, "lost", 1);
      case TableEvent.Split _ -> add(Metric.TABLET_CHANGES, "split", 1);
      case TableEvent.Joined _ -> add(Metric.TABLET_CHANGES, "joined", 1);
      case TableEvent.FileNotWritten _ -> add(Metric.FILES_UNWRITTEN, "", 1);
      case TableEvent.FileUnreadable _ -> add(Metric.FILES_UNREADABLE, "", 1);
      default -> {}
    }
  }

  private void see(MasterEvent event) {
    switch (event) {
      case MasterEvent.Moved _ -> add(Metric.MOVES, "ok", 1);
      case MasterEvent.MoveFailed _ -> add(Metric.MOVES, "failed", 1);
      case MasterEvent.ServerLost _ -> add(Metric.SERVERS_LOST, "", 1);
      default -> {}
    }
  }

  private void see(ReplicaEvent event) {
    switch (event) {
      case ReplicaEvent.Opened _ -> add(Metric.REPLICA_EVENTS, "opened", 1);
      case ReplicaEvent.Dropped _ -> add(Metric.REPLICA_EVENTS, "dropped", 1);
      case ReplicaEvent.Filled _ -> add(Metric.REPLICA_EVENTS, "filled", 1);
      case ReplicaEvent.Lost _ -> add(Metric.REPLICA_EVENTS, "lost", 1);
      case ReplicaEvent.Corrupt _ -> add(Metric.REPLICA_EVENTS, "corrupt", 1);
      case ReplicaEvent.Differed _ -> add(Metric.REPLICA_EVENTS, "different", 1);
      default -> {}
    }
  }

  private void see(DatasetEvent event) {
    switch (event) {
      case DatasetEvent.VersionLoaded _ -> add(Metric.DATASET_LOADS, "loaded", 1);
      case DatasetEvent.VersionFailed _ -> add(Metric.DATASET_LOADS, "failed", 1);
      case DatasetEvent.VersionRemoved _ -> add(Metric.DATASET_LOADS, "removed", 1);
      case DatasetEvent.VersionSwitched _ -> add(Metric.DATASET_SWITCHES, "", 1);
      default -> {}
    }
  }

  private void add(Metric metric, String label, long count) {
    counts.computeIfAbsent(new Count(metric, label), _ -> new LongAdder()).add(count);
  }

  private static String level(Event.Level level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void read(Readings into) {
    counts.forEach(
        (count, value) -> {
          String[] labels = count.label().isEmpty() ? new String[0] : new String[] {count.label()};
          if (count.metric() == Metric.FLUSH_TIME) {
            into.nanos(count.metric(), value.sum(), labels);
          } else {
            into.set(count.metric(), value.sum(), labels);
          }
        });
  }
}
