package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.cluster.NotedTables;
import io.stele.it.metastore.Workers;
import io.stele.it.process.LongestGap;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.table.LinkedNodes;
import io.stele.testkit.table.StampedRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Clients, one at each server, that write to two replicated tables with the acknowledgement of a
 * majority, and read from a majority what they have written.
 *
 * <p>Rows of both tables begin with 16 hexadecimal digits, and are spread over all of them.
 */
final class Load implements AutoCloseable {
  static final String LIST = "list";
  static final String STAMPED = "stamped";
  static final List<String> TABLES = List.of(LIST, STAMPED);

  private static final int WORKERS = 1; // of each kind, for each client
  private static final int ROWS = 12; // of each worker, in the table of stamped rows
  private static final long SPLIT_BYTES = 3 << 20; // a store takes a megabyte at once
  private static final Duration PACE = Duration.ofMillis(200); // the servers need the processor too
  private static final Duration PATIENT = Duration.ofSeconds(90);
  private static final Duration IMPATIENT = Duration.ofSeconds(3);

  private final ReplicaTables tables;
  private final LinkedNodes nodes = new LinkedNodes();
  private final StampedRows rows = new StampedRows(Clock.system());
  private final Workers workers;
  private final LongestGap gap = new LongestGap(Clock.system());
  private final List<Stele> clients = new ArrayList<>();
  private final Map<NotedTables, Duration> seen = new LinkedHashMap<>();
  private int started;

  Load(ReplicaTables tables, long seed) {
    this.tables = tables;
    this.workers = new Workers("writers", seed);
  }

  void createTables() {
    Replication replication = Replication.of(ReplicaTables.REPLICAS).withSplitBytes(SPLIT_BYTES);
    TableSchema schema = TableSchema.ofFamilies("f").withReplication(replication);
    try (Stele stele = tables.cluster().client()) {
      TableAdmin admin = stele.tables();
      admin.create(LIST, schema, List.of(Bytes.utf8("8")));
      admin.create(STAMPED, schema, List.of(Bytes.utf8("8")));
    }
  }

  void dropTables() {
    try (Stele stele = tables.cluster().client()) {
      TABLES.forEach(stele.tables()::drop);
    }
  }

  /** Lets clients of all servers work; every other one gives up soon. */
  void start() {
    for (int server = 0; server < tables.cluster().size(); server++) {
      Duration timeout = server % 2 == 0 ? PATIENT : IMPATIENT;
      Stele stele = tables.client(server, timeout);
      clients.add(stele);
      NotedTables writes = new NotedTables(stele.rows());
      Tables reads = stele.rows().at(Consistency.DEFAULT.withReads(Reads.MAJORITY));
      seen.put(writes, timeout);
      for (int i = 0; i < WORKERS; i++) {
        int worker = started++;
        start(random -> nodes.write(writes, LIST, random));
        start(random -> writeStamped(writes, reads, row(worker, random.nextInt(ROWS)), random));
      }
    }
  }

  /** A row that one worker alone changes. */
  private static String row(int worker, int number) {
    return "%016x-%d".formatted((worker * ROWS + number + 1) * 0x9e3779b97f4a7c15L, worker);
  }

  private boolean writeStamped(Tables writes, Tables reads, String row, RandomGenerator random) {
    boolean done = rows.write(writes, STAMPED, row, random);
    rows.read(reads, STAMPED, row);
    return done;
  }

  /** Something that is done over and over; true if it was acknowledged. */
  private interface Step {
    boolean run(RandomGenerator random);
  }

  /** What passes with a fault is no failure; everything else ends the worker and fails the test. */
  private void start(Step step) {
    workers.start(
        random -> {
          try {
            if (step.run(random)) {
              workers.answered();
              gap.happened();
            } else {
              workers.refused();
            }
          } catch (SteleException e) {
            if (!e.retryable() && !(e instanceof OutcomeUnknownException)) {
              throw e;
            }
            workers.refused();
          }
          workers.pause(PACE);
        });
  }

  /** The stamped rows, for others that write some of their own. */
  StampedRows rows() {
    return rows;
  }

  long answers() {
    return workers.answers();
  }

  void requireWorking() {
    workers.requireWorking();
    rows.verdict().requireValid();
  }

  /** Returns the longest time without an acknowledged write. */
  Duration stop() throws InterruptedException {
    Duration longest = gap.longest();
    workers.stop();
    System.out.printf(
        "%s; %s; longest without an acknowledged write: %d ms%n",
        workers, rows, longest.toMillis());
    return longest;
  }

  /** Compares what tables have with what was written. */
  void check(List<Cell> list, List<Cell> stamped, String where) {
    Map<String, String> found = new LinkedHashMap<>();
    list.forEach(cell -> found.put(cell.row().toUtf8(), cell.value().toUtf8()));
    check(nodes.check(found), where);
    check(rows.check(stamped), where);
    seen.forEach((one, timeout) -> checkFailures(one, timeout, where));
  }

  private static void check(Verdict verdict, String where) {
    assertThat(verdict.violations()).as("%s", where).isEmpty();
    assertThat(verdict.checked()).as("%s", where).isPositive();
  }

  /** A client that waits out a recovery sees no failure but that an answer was lost. */
  private static void checkFailures(NotedTables seenByOne, Duration timeout, String where) {
    System.out.println("a client that waits for " + timeout.toSeconds() + " s: " + seenByOne);
    if (timeout.compareTo(SteleCluster.RECOVERY) > 0) {
      assertThat(seenByOne.counts().keySet())
          .as("%s; %s", seenByOne, where)
          .isSubsetOf(OutcomeUnknownException.class.getSimpleName());
    }
  }

  @Override
  public void close() {
    clients.forEach(Stele::close);
  }
}
