package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.metastore.Workers;
import io.stele.it.process.FaultRun;
import io.stele.it.process.LongestGap;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.table.Bank;
import io.stele.testkit.table.Counters;
import io.stele.testkit.table.EqualColumns;
import io.stele.testkit.table.LinkedNodes;
import io.stele.testkit.table.RowRegisters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** All workloads at once on one cluster, and all their checks. */
final class Workloads implements AutoCloseable {
  static final String LIST = "list";
  static final String EQUAL = "equal";
  static final String BANK = "bank";
  static final String COUNTERS = "counters";
  static final String REGISTERS = "registers";
  static final List<String> TABLES = List.of(LIST, EQUAL, BANK, COUNTERS, REGISTERS);

  /** Of families f and g, apart and together. */
  static final TableSchema APART =
      TableSchema.of(GroupSchema.of("one", "f"), GroupSchema.of("two", "g"));

  static final TableSchema TOGETHER = TableSchema.of(GroupSchema.of("both", "f", "g"));

  private static final int ROWS = 24; // of each table but the list
  private static final int WORKERS = 3; // of each kind, for each client

  private final Tablets tablets;
  private final long seed;
  private final Duration pace;
  private final LinkedNodes nodes = new LinkedNodes();
  private final EqualColumns equal = new EqualColumns();
  private final Bank bank = new Bank();
  private final Counters counters = new Counters();
  private final RowRegisters registers = new RowRegisters();
  private final Workers workers;
  private final LongestGap gap = new LongestGap(Clock.system());
  private final AtomicInteger started = new AtomicInteger();
  private final List<Stele> clients = new ArrayList<>();
  private final Map<NotedTables, Duration> seen = new LinkedHashMap<>();

  /**
   * Not started yet.
   *
   * @param pace the pause between two steps of a worker: the servers need the processor too
   */
  Workloads(Tablets tablets, long seed, Duration pace) {
    this.tablets = tablets;
    this.seed = seed;
    this.pace = pace;
    this.workers = new Workers("tables", seed);
  }

  /** A row of all tables but the list; those of different numbers are in different tablets. */
  static String row(int number) {
    return "row%02d".formatted(number);
  }

  void create() {
    List<Bytes> splits = List.of(Bytes.utf8(row(7)), Bytes.utf8(row(15)));
    try (Stele stele = tablets.cluster().client()) {
      TableAdmin tables = stele.tables();
      tables.create(
          LIST,
          TableSchema.ofFamilies("f"),
          List.of(Bytes.utf8("4"), Bytes.utf8("8"), Bytes.utf8("c")));
      tables.create(EQUAL, APART, splits);
      tables.create(BANK, APART, splits);
      tables.create(COUNTERS, TableSchema.ofFamilies("f"), splits);
      tables.create(REGISTERS, TableSchema.ofFamilies("f"), splits);
      for (int row = 0; row < ROWS; row++) {
        bank.open(stele.rows(), BANK, row(row));
      }
    }
  }

  /**
   * Lets clients work.
   *
   * @param timeouts one client for each
   */
  void start(Duration... timeouts) {
    for (Duration timeout : timeouts) {
      Stele stele = tablets.client(timeout);
      clients.add(stele);
      NotedTables tables = new NotedTables(stele.rows());
      seen.put(tables, timeout);
      for (int w = 0; w < WORKERS; w++) {
        int worker = started.getAndIncrement();
        start(random -> nodes.write(tables, LIST, random));
        start(random -> writeEqual(tables, worker, random));
        start(random -> bank.transfer(tables, BANK, row(random.nextInt(ROWS)), random));
        start(random -> counters.add(tables, COUNTERS, row(random.nextInt(ROWS))));
        start(
            random ->
                registers.step(
                    tables, REGISTERS, "client-" + worker, row(random.nextInt(ROWS)), random));
      }
      start(random -> scan(tables, random));
    }
  }

  /** Each row is written by one worker. */
  private boolean writeEqual(Tables tables, int worker, RandomGenerator random) {
    String row = "row%02d.%d".formatted(random.nextInt(ROWS), worker);
    boolean done = equal.write(tables, EQUAL, row);
    equal.get(tables, EQUAL, row);
    return done;
  }

  private boolean scan(Tables tables, RandomGenerator random) {
    if (random.nextBoolean()) {
      equal.scan(tables, EQUAL);
    } else {
      bank.scan(tables, BANK);
    }
    return true;
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
          workers.pause(pace);
        });
  }

  /** Without an acknowledged step. */
  LongestGap gap() {
    return gap;
  }

  /** Fails as soon as a worker did, and not only in the end. */
  void requireWorking() {
    workers.requireWorking();
  }

  /**
   * Ends the work, then checks all that was seen and all that is there.
   *
   * @param report takes what was found before it fails because of it
   */
  void stopAndCheck(FaultRun faults, String story, Consumer<LongRun.Outcome> report)
      throws InterruptedException {
    Duration longest = gap.longest();
    workers.stop();
    System.out.println(workers);
    String where = "seed " + seed + "; " + story + "; logs in " + tablets.cluster().logs();
    seen.forEach((tables, timeout) -> checkFailures(tables, timeout, where));
    try (Stele stele = tablets.cluster().client()) {
      Tables tables = stele.rows();
      Map<String, Verdict> verdicts = new LinkedHashMap<>();
      verdicts.put("list", nodes.check(LinkedNodes.read(tables, LIST)));
      equal.scan(tables, EQUAL);
      verdicts.put("equal columns", equal.verdict());
      verdicts.put("bank", bank.check(tables, BANK));
      verdicts.put("counters", counters.check(tables, COUNTERS));
      verdicts.put("registers", registers.check());
      verdicts.forEach((what, verdict) -> System.out.println(what + ": " + verdict.checked()));
      report.accept(
          new LongRun.Outcome(
              ClusterFaultsIT.class.getSimpleName(),
              seed,
              faults.time(),
              workers.answers(),
              faults.injected(),
              verdicts.values().stream().mapToLong(verdict -> verdict.violations().size()).sum(),
              longest));
      verdicts.forEach(
          (what, verdict) -> {
            assertThat(verdict.violations()).as(what + "; " + where).isEmpty();
            assertThat(verdict.checked()).as(what + "; " + where).isPositive();
          });
      assertThat(stele.tables().verifyMeta("")).as(where).isEmpty();
    }
  }

  /** A client that waits out a recovery sees no failure but that an answer was lost. */
  private static void checkFailures(NotedTables tables, Duration timeout, String where) {
    System.out.println("a client that waits for " + timeout.toSeconds() + " s: " + tables);
    if (timeout.compareTo(SteleCluster.RECOVERY) > 0) {
      assertThat(tables.counts().keySet())
          .as("%s; %s", tables, where)
          .isSubsetOf(OutcomeUnknownException.class.getSimpleName());
    }
  }

  /** Drops the tables. */
  void drop() {
    try (Stele stele = tablets.cluster().client()) {
      TABLES.forEach(stele.tables()::drop);
    }
  }

  @Override
  public void close() {
    clients.forEach(Stele::close);
  }
}
