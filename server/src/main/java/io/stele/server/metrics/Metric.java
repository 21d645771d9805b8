package io.stele.server.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * All metrics that a node shows, and the only place that knows their names. Names begin with {@code
 * stele_} and end with their unit; those of counters then with {@code _total}. docs/metrics.md is
 * written from this list.
 *
 * <p>Those of the area {@link Area#PROCESS} that have no source here come from Micrometer.
 */
public enum Metric {
  // ---- node
  INFO(
      Area.NODE,
      Type.GAUGE,
      "stele_info",
      "Always 1: version, address and roles.",
      "version",
      "address",
      "roles"),
  READY(Area.NODE, Type.GAUGE, "stele_ready", "1 if the node is ready, as /readyz says."),
  CHECK_FAILED(
      Area.NODE, Type.GAUGE, "stele_check_failed", "1 if this check of /readyz fails.", "check"),
  PROBLEMS(
      Area.NODE,
      Type.GAUGE,
      "stele_problems",
      "Problems that keep the node from its work; /status and stele doctor name them."),
  UP(Area.NODE, Type.GAUGE, "stele_up_seconds", "How long the node runs."),
  EVENTS(
      Area.NODE,
      Type.COUNTER,
      "stele_events_total",
      "Events by level: each of INFO and above is a line of the log.",
      "level"),
  DISK_FREE(
      Area.NODE,
      Type.GAUGE,
      "stele_disk_free_bytes",
      "Room on the disk of a directory.",
      "use",
      "path"),
  DISK_TOTAL(
      Area.NODE,
      Type.GAUGE,
      "stele_disk_total_bytes",
      "Size of the disk of a directory.",
      "use",
      "path"),
  SCRAPE_ERRORS(
      Area.NODE,
      Type.COUNTER,
      "stele_scrape_errors_total",
      "Parts of the node that could not be asked for their metrics."),

  // ---- requests
  REQUESTS(
      Area.REQUESTS,
      Type.COUNTER,
      "stele_requests_total",
      "Requests that were answered.",
      "api",
      "kind",
      "table",
      "outcome"),
  REQUEST_RECEIVED(
      Area.REQUESTS,
      Type.COUNTER,
      "stele_request_received_bytes_total",
      "Bytes of requests, as they came.",
      "api",
      "kind",
      "table"),
  REQUEST_SENT(
      Area.REQUESTS,
      Type.COUNTER,
      "stele_request_sent_bytes_total",
      "Bytes of answers.",
      "api",
      "kind",
      "table"),
  REQUEST_DURATION(
      Area.REQUESTS,
      Type.HISTOGRAM,
      "stele_request_duration_seconds",
      "Time from a request to its answer. Streams and waits for locks are not in it.",
      "api",
      "kind",
      "table"),
  REQUESTS_SLOW(
      Area.REQUESTS,
      Type.COUNTER,
      "stele_requests_slow_total",
      "Requests that took longer than log.slow-request."),

  // ---- logs, memory, caches
  LOG_SYNC(
      Area.STORAGE,
      Type.HISTOGRAM,
      "stele_commit_log_sync_duration_seconds",
      "Time to make a group of changes durable.",
      "service"),
  LOG_RECORDS(
      Area.STORAGE,
      Type.COUNTER,
      "stele_commit_log_records_total",
      "Changes written to the commit log.",
      "service"),
  LOG_BYTES(
      Area.STORAGE,
      Type.COUNTER,
      "stele_commit_log_written_bytes_total",
      "Bytes of these changes.",
      "service"),
  LOG_QUEUE(
      Area.STORAGE,
      Type.GAUGE,
      "stele_commit_log_queue_bytes",
      "Changes that wait to be written to the commit log.",
      "service"),
  LOG_HELD(
      Area.STORAGE,
      Type.GAUGE,
      "stele_commit_log_held_bytes",
      "Files of the commit log that are still needed, the current one apart.",
      "service"),
  LOG_THROTTLED(
      Area.STORAGE,
      Type.COUNTER,
      "stele_commit_log_throttled_total",
      "Writes that waited for room in the queue of the commit log.",
      "service"),
  LOG_THROTTLED_TIME(
      Area.STORAGE,
      Type.COUNTER,
      "stele_commit_log_throttled_seconds_total",
      "Time that they waited.",
      "service"),
  MEMORY_UNFLUSHED(
      Area.STORAGE,
      Type.GAUGE,
      "stele_memory_unflushed_bytes",
      "Changes in memory that are in no file yet.",
      "service"),
  MEMORY_LIMIT(
      Area.STORAGE,
      Type.GAUGE,
      "stele_memory_limit_bytes",
      "Writes wait when so much is in memory.",
      "service"),
  MEMORY_THROTTLED(
      Area.STORAGE,
      Type.COUNTER,
      "stele_memory_throttled_total",
      "Writes that waited for room in memory.",
      "service"),
  MEMORY_THROTTLED_TIME(
      Area.STORAGE,
      Type.COUNTER,
      "stele_memory_throttled_seconds_total",
      "Time that they waited.",
      "service"),
  CACHE_HITS(
      Area.STORAGE,
      Type.COUNTER,
      "stele_cache_hits_total",
      "Blocks of files found in the cache.",
      "service"),
  CACHE_MISSES(
      Area.STORAGE,
      Type.COUNTER,
      "stele_cache_misses_total",
      "Blocks that had to be read from files.",
      "service"),
  CACHE_WEIGHT(
      Area.STORAGE,
      Type.GAUGE,
      "stele_cache_weight_bytes",
      "Blocks in the cache: of in-memory groups (resident) and all others (adaptive).",
      "service",
      "part"),
  FILES_UNWRITTEN(
      Area.STORAGE,
      Type.COUNTER,
      "stele_file_write_errors_total",
      "Files of tables that could not be written or synced."),
  FILES_UNREADABLE(
      Area.STORAGE,
      Type.COUNTER,
      "stele_file_read_errors_total",
      "Files of tables that could not be read, or are damaged."),

  // ---- tablet tables
  TABLETS(Area.TABLES, Type.GAUGE, "stele_tablets", "Tablets of this server.", "state"),
  TABLET_FILES(
      Area.TABLES, Type.GAUGE, "stele_tablet_files", "Files in all chains of its tablets."),
  CHAIN_LONGEST(
      Area.TABLES,
      Type.GAUGE,
      "stele_tablet_chain_longest_files",
      "Files of the longest chain, each of which a read may have to look at."),
  COMPACTION_DEBT(
      Area.TABLES,
      Type.GAUGE,
      "stele_compaction_debt_files",
      "Files beyond one in each chain, which compactions have not merged yet."),
  FLUSHES(
      Area.TABLES,
      Type.COUNTER,
      "stele_flushes_total",
      "Mem fragments that were written to files."),
  FLUSH_CELLS(Area.TABLES, Type.COUNTER, "stele_flush_cells_total", "Cells in these files."),
  FLUSH_TIME(Area.TABLES, Type.COUNTER, "stele_flush_seconds_total", "Time to write them."),
  COMPACTIONS(
      Area.TABLES,
      Type.COUNTER,
      "stele_compactions_total",
      "Compactions; not kept if the files had changed meanwhile.",
      "kept"),
  TABLET_CHANGES(
      Area.TABLES,
      Type.COUNTER,
      "stele_tablet_changes_total",
      "Tablets that were loaded, unloaded, lost, split or joined here.",
      "change"),
  RECOVERIES(
      Area.TABLES,
      Type.COUNTER,
      "stele_tablet_recoveries_total",
      "Tablets that were loaded from the log of a server that had failed."),
  RECOVERED_RECORDS(
      Area.TABLES,
      Type.COUNTER,
      "stele_tablet_recovered_records_total",
      "Changes read from such logs."),
  MOVES(
      Area.TABLES,
      Type.COUNTER,
      "stele_tablet_moves_total",
      "Moves of tablets that this master ordered.",
      "outcome"),
  SERVERS_LOST(
      Area.TABLES,
      Type.COUNTER,
      "stele_tablet_servers_lost_total",
      "Tablet servers that this master gave up."),

  // ---- metastore
  RAFT_LEADER(Area.METASTORE, Type.GAUGE, "stele_raft_is_leader", "1 if this member leads."),
  RAFT_HAS_LEADER(
      Area.METASTORE, Type.GAUGE, "stele_raft_has_leader", "1 if this member knows a leader."),
  RAFT_MEMBERS(Area.METASTORE, Type.GAUGE, "stele_raft_members", "Members that vote."),
  RAFT_TERM(Area.METASTORE, Type.GAUGE, "stele_raft_term", "The newest term it knows of."),
  RAFT_COMMITTED(
      Area.METASTORE,
      Type.GAUGE,
      "stele_raft_committed_index",
      "The newest entry that a majority is known to have."),
  RAFT_APPLIED(
      Area.METASTORE,
      Type.GAUGE,
      "stele_raft_applied_index",
      "The newest entry in the state of this member."),
  RAFT_LAG(
      Area.METASTORE,
      Type.GAUGE,
      "stele_raft_apply_lag_entries",
      "Entries that are committed and not in its state yet."),
  RAFT_LOG(Area.METASTORE, Type.GAUGE, "stele_raft_log_bytes", "Size of the log."),
  RAFT_LEADER_CHANGES(
      Area.METASTORE,
      Type.COUNTER,
      "stele_raft_leader_changes_total",
      "Times that this member became leader, or ceased to be.",
      "change"),
  REVISION(
      Area.METASTORE, Type.GAUGE, "stele_metastore_revision", "Revision of the newest change."),
  COMPACTED(
      Area.METASTORE,
      Type.GAUGE,
      "stele_metastore_compacted_revision",
      "The oldest revision that can be read."),
  SESSIONS(Area.METASTORE, Type.GAUGE, "stele_metastore_sessions", "Sessions and leases."),
  SESSIONS_EXPIRED(
      Area.METASTORE,
      Type.COUNTER,
      "stele_metastore_sessions_expired_total",
      "Sessions that this leader ended because they were silent."),
  LOCKS(Area.METASTORE, Type.GAUGE, "stele_metastore_locks", "Locks that are held."),
  WATCHES(Area.METASTORE, Type.GAUGE, "stele_metastore_watches", "Watches at this member."),
  TRANSACTIONS(Area.METASTORE, Type.GAUGE, "stele_metastore_transactions", "Open transactions."),
  STATE(Area.METASTORE, Type.GAUGE, "stele_metastore_state_bytes", "Size of the state."),
  QUOTA(
      Area.METASTORE,
      Type.GAUGE,
      "stele_metastore_quota_bytes",
      "The size at which writes are refused; 0 for none."),
  NO_SPACE(
      Area.METASTORE,
      Type.GAUGE,
      "stele_metastore_no_space",
      "1 if writes are refused because the quota was reached."),

  // ---- replicated tables
  REPLICAS(Area.REPLICAS, Type.GAUGE, "stele_replicas", "Replicas of this server.", "role"),
  REPLICA_LAG(
      Area.REPLICAS,
      Type.GAUGE,
      "stele_replica_unconfirmed_changes",
      "Changes here that the replica furthest behind has not confirmed, of all replicas."),
  REPLICA_WORST_LAG(
      Area.REPLICAS,
      Type.GAUGE,
      "stele_replica_most_unconfirmed_changes",
      "The same of the one replica that has most of them."),
  REPLICA_EVENTS(
      Area.REPLICAS,
      Type.COUNTER,
      "stele_replica_changes_total",
      "Replicas that were opened, dropped, filled, lost, found corrupt or different.",
      "change"),

  // ---- datasets
  DATASETS(Area.DATASETS, Type.GAUGE, "stele_datasets", "Datasets that this node knows."),
  DATASET_SERVED(
      Area.DATASETS,
      Type.GAUGE,
      "stele_dataset_served",
      "1 if a version of the dataset is served by this node.",
      "dataset"),
  DATASET_VERSIONS(
      Area.DATASETS,
      Type.GAUGE,
      "stele_dataset_versions",
      "Versions of all datasets, by what this node does with them.",
      "state"),
  DATASET_SHARDS(
      Area.DATASETS, Type.GAUGE, "stele_dataset_shards", "Shards that this node has loaded."),
  DATASET_LOADS(
      Area.DATASETS,
      Type.COUNTER,
      "stele_dataset_loads_total",
      "Versions that were loaded, could not be, or were removed.",
      "outcome"),
  DATASET_SWITCHES(
      Area.DATASETS,
      Type.COUNTER,
      "stele_dataset_switches_total",
      "Times that another version came to be served."),

  // ---- process: from Micrometer
  JVM_MEMORY_USED(
      Area.PROCESS, Type.GAUGE, "stele_jvm_memory_used_bytes", "Memory in use.", "area", "id"),
  JVM_MEMORY_COMMITTED(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_memory_committed_bytes",
      "Memory that the system has given to the JVM.",
      "area",
      "id"),
  JVM_MEMORY_MAX(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_memory_max_bytes",
      "The most there may be; -1 for no limit.",
      "area",
      "id"),
  JVM_BUFFERS(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_buffer_count_buffers",
      "Direct and mapped buffers.",
      "id"),
  JVM_BUFFERS_USED(
      Area.PROCESS, Type.GAUGE, "stele_jvm_buffer_memory_used_bytes", "Their memory.", "id"),
  JVM_BUFFERS_CAPACITY(
      Area.PROCESS, Type.GAUGE, "stele_jvm_buffer_total_capacity_bytes", "Their capacity.", "id"),
  JVM_GC_PAUSE(
      Area.PROCESS,
      Type.SUMMARY,
      "stele_jvm_gc_pause_seconds",
      "Pauses of the garbage collector.",
      "action",
      "cause",
      "gc"),
  JVM_GC_PAUSE_MAX(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_gc_pause_seconds_max",
      "The longest of the last minutes.",
      "action",
      "cause",
      "gc"),
  JVM_GC_CONCURRENT(
      Area.PROCESS,
      Type.SUMMARY,
      "stele_jvm_gc_concurrent_phase_time_seconds",
      "Time of the collector beside the program.",
      "action",
      "cause",
      "gc"),
  JVM_GC_CONCURRENT_MAX(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_gc_concurrent_phase_time_seconds_max",
      "The longest of the last minutes.",
      "action",
      "cause",
      "gc"),
  JVM_GC_ALLOCATED(
      Area.PROCESS,
      Type.COUNTER,
      "stele_jvm_gc_memory_allocated_bytes_total",
      "Memory allocated for new objects."),
  JVM_GC_PROMOTED(
      Area.PROCESS,
      Type.COUNTER,
      "stele_jvm_gc_memory_promoted_bytes_total",
      "Memory of objects that became old."),
  JVM_GC_LIVE(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_gc_live_data_size_bytes",
      "Old objects after the last collection that looked at them."),
  JVM_GC_MAX(
      Area.PROCESS,
      Type.GAUGE,
      "stele_jvm_gc_max_data_size_bytes",
      "The most memory for old objects."),
  JVM_THREADS(Area.PROCESS, Type.GAUGE, "stele_jvm_threads_live_threads", "Platform threads."),
  JVM_THREADS_DAEMON(
      Area.PROCESS, Type.GAUGE, "stele_jvm_threads_daemon_threads", "Daemon threads of these."),
  JVM_THREADS_PEAK(
      Area.PROCESS, Type.GAUGE, "stele_jvm_threads_peak_threads", "The most there were."),
  JVM_THREADS_STARTED(
      Area.PROCESS,
      Type.COUNTER,
      "stele_jvm_threads_started_threads_total",
      "Platform threads that were started."),
  JVM_THREADS_STATES(
      Area.PROCESS, Type.GAUGE, "stele_jvm_threads_states_threads", "Threads by state.", "state"),
  CPU_COUNT(Area.PROCESS, Type.GAUGE, "stele_system_cpu_count", "Processors."),
  CPU_SYSTEM(
      Area.PROCESS, Type.GAUGE, "stele_system_cpu_usage", "Use of all processors, from 0 to 1."),
  LOAD(
      Area.PROCESS,
      Type.GAUGE,
      "stele_system_load_average_1m",
      "Programs that run or wait for a processor, on average of a minute."),
  CPU_PROCESS(
      Area.PROCESS,
      Type.GAUGE,
      "stele_process_cpu_usage",
      "Use of the processors by this process, from 0 to 1."),
  CPU_TIME(
      Area.PROCESS,
      Type.COUNTER,
      "stele_process_cpu_time_ns_total",
      "Processor time of this process, in nanoseconds."),
  FILES_OPEN(Area.PROCESS, Type.GAUGE, "stele_process_files_open_files", "Open files and sockets."),
  FILES_MAX(Area.PROCESS, Type.GAUGE, "stele_process_files_max_files", "The most there may be.");

  /** What a metric is about. */
  public enum Area {
    NODE("The node"),
    REQUESTS("Requests"),
    STORAGE("Logs, memory, caches and files"),
    TABLES("Tablet tables"),
    METASTORE("The metastore"),
    REPLICAS("Replicated tables"),
    DATASETS("Datasets"),
    PROCESS("The process and its JVM");

    private final String title;

    Area(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** What kind of numbers it has. */
  public enum Type {
    /** Only grows, from 0 at the start of the process. */
    COUNTER,
    GAUGE,
    /** Counts by upper bounds, with a sum and a count. */
    HISTOGRAM,
    /** A sum and a count. */
    SUMMARY
  }

  private static final String TOTAL = "_total";

  private final Area area;
  private final Type type;
  private final String key;
  private final String help;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> labels;

  Metric(Area area, Type type, String key, String help, String... labels) {
    this.area = area;
    this.type = type;
    this.key = key;
    this.help = help;
    this.labels = List.of(labels);
  }

  public Area area() {
    return area;
  }

  public Type type() {
    return type;
  }

  /** As it is written in queries. */
  public String key() {
    return key;
  }

  public String help() {
    return help;
  }

  public List<String> labels() {
    return labels;
  }

  /** Without the ending by which a counter is known in the text formats. */
  String baseName() {
    return key.endsWith(TOTAL) ? key.substring(0, key.length() - TOTAL.length()) : key;
  }

  /** docs/metrics.md. */
  static String document() {
    StringBuilder text = new StringBuilder();
    text.append("# Metrics\n\n");
    text.append("What `/metrics` of the [admin port](monitoring.md) shows. This page is written");
    text.append(" from the code\n(`io.stele.server.metrics.Metric`); a test compares the two.\n");
    for (Area area : Area.values()) {
      text.append("\n## ").append(area.title()).append("\n\n");
      text.append("| metric | type | labels | |\n|---|---|---|---|\n");
      Arrays.stream(values())
          .filter(metric -> metric.area == area)
          .forEach(metric -> text.append(metric.row()));
    }
    return text.toString();
  }

  private String row() {
    return "| `%s` | %s | %s | %s |\n"
        .formatted(
            key,
            type.name().toLowerCase(Locale.ROOT),
            labels.stream().map("`%s`"::formatted).collect(Collectors.joining(", ")),
            help);
  }
}
