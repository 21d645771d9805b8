package io.stele.tables.sim;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.table.MetaProblem;
import io.stele.base.time.RandomSource;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.TabletState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * One run of the simulation: a seed chooses what happens, step by step. Each step is an operation
 * with a thread of its own; the next one begins when it is done, or when it waits at a hold point,
 * or for somebody who does. So a seed gives nearly the same run each time, though the servers'
 * threads are real ones.
 *
 * <p>In the end all holds are released, all clocks go on, enough servers live, and everything must
 * be in order within some time.
 */
final class Schedule implements AutoCloseable {
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(25);
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long LONG_QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);
  private static final long LONG_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MOST_LOG_FILES = 4;
  private static final List<String> MACHINES = List.of("a:1", "b:1", "c:1");

  /** Something that was begun. */
  private record Operation(String what, CompletableFuture<Void> done) {}

  /** Something that is to be done at a step. */
  private record Due(int step, Runnable action) {}

  final long seed;
  final RandomGenerator random;
  final World world = new World();
  final Workload workload;
  private final Client client = new Client(world);
  private final List<Operation> open = new ArrayList<>();
  private final List<Due> due = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
  private boolean shortLogs;
  private int step;

  Schedule(long seed) {
    this.seed = seed;
    this.random = RandomSource.seeded(new SplittableRandom(seed).nextLong());
    this.workload = new Workload(client);
  }

  /** Runs it; fails with what happened if something is wrong in the end. */
  long run(int steps) {
    Actions actions = new Actions(this);
    Motifs motifs = new Motifs(this, actions);
    begin(actions);
    int motif = random.nextInt(steps);
    for (step = 1; step <= steps && violations.isEmpty(); step++) {
      if (step == motif) {
        motifs.play();
      }
      actions.any();
      afterStep();
      act("look for holes in META", this::lookForHoles);
    }
    if (violations.isEmpty()) {
      end();
    }
    if (!violations.isEmpty()) {
      throw new AssertionError(String.join("\n", violations) + "\nwhat happened:\n" + world.trace);
    }
    return workload.operations();
  }

  private void begin(Actions actions) {
    for (String machine : MACHINES) {
      world.clock(machine, actions.clockError());
      world.start(machine);
    }
    world.elect();
    List<Bytes> splits = new ArrayList<>();
    for (String split : Workload.SPLITS) {
      splits.add(Bytes.utf8(split));
    }
    must(
        "create the table",
        () ->
            world
                .master()
                .tables()
                .create(Workload.TABLE, Workload.schema(true, List.of()), splits));
    must("open the bank", workload::open);
    if (random.nextBoolean()) {
      actions.cutMeta();
    }
  }

  /** Something without which a run makes no sense. */
  void must(String what, Runnable action) {
    Operation operation = start(what, action);
    if (!isDone(operation, SOON_NANOS)) {
      violations.add(what + ": not done in time");
    }
  }

  // ---- operations

  private Operation start(String what, Runnable action) {
    world.trace.add("%3d %s".formatted(step, what));
    Operation operation = new Operation(what, new CompletableFuture<>());
    Thread.ofVirtual()
        .name("sim-" + what)
        .start(
            () -> {
              try {
                action.run();
                world.trace.add("     done: " + what);
              } catch (SteleException e) {
                world.trace.add("     failed: " + what + ": " + e.getMessage());
              } catch (RuntimeException | Error e) {
                violations.add(what + ": " + e);
              } finally {
                operation.done.complete(null);
              }
            });
    open.add(operation);
    return operation;
  }

  /** Begins something, and waits until it is done or held up. */
  void act(String what, Runnable action) {
    Operation operation = start(what, action);
    long passes = world.points.passes();
    long start = System.nanoTime();
    long quietSince = start;
    while (!isDone(operation, TimeUnit.MILLISECONDS.toNanos(1))) {
      world.endThoseThatKnow();
      long now = System.nanoTime();
      if (world.points.passes() != passes) {
        passes = world.points.passes();
        quietSince = now;
      }
      boolean disturbed = isDisturbed();
      if (now - quietSince > (disturbed ? QUIET_NANOS : LONG_QUIET_NANOS)
          || now - start > (disturbed ? PATIENCE_NANOS : LONG_PATIENCE_NANOS)) {
        return; // it goes on when whatever holds it up is over
      }
    }
    open.remove(operation);
  }

  /** Whether an operation may have to wait for what a later step does. */
  private boolean isDisturbed() {
    return world.points.anybodyWaits()
        || world.anybodyIsCutOff()
        || world.nodes().size() < MACHINES.size()
        || world.working().size() < world.sessions.count();
  }

  private static boolean isDone(Operation operation, long nanos) {
    try {
      operation.done.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits for something, but not for long: it may be held up. */
  boolean within(int millis, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      if (condition.getAsBoolean()) {
        return true;
      }
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(300));
    }
    return condition.getAsBoolean();
  }

  /** Waits until nobody passes hold points any more: all have come as far as they can. */
  void awaitQuiet() {
    AtomicLong passes = new AtomicLong(world.points.passes());
    AtomicLong since = new AtomicLong(System.nanoTime());
    boolean _ =
        within(
            (int) TimeUnit.NANOSECONDS.toMillis(LONG_PATIENCE_NANOS),
            () -> {
              long now = world.points.passes();
              if (passes.getAndSet(now) != now) {
                since.set(System.nanoTime());
              }
              return System.nanoTime() - since.get() > PATIENCE_NANOS;
            });
  }

  /** Has something done some steps later. */
  void later(int steps, Runnable action) {
    due.add(new Due(step + steps, action));
  }

  void note(String what) {
    world.trace.add("%3d %s".formatted(step, what));
  }

  void violated(String what) {
    violations.add(what);
  }

  private void afterStep() {
    for (Due each : List.copyOf(due)) {
      if (each.step() <= step) {
        due.remove(each);
        each.action().run();
      }
    }
    world.endThoseThatKnow();
    world.twoOwners().forEach(violations::add);
  }

  /** Machines without a server. */
  List<String> idleMachines() {
    List<String> idle = new ArrayList<>(MACHINES);
    world.nodes().forEach(node -> idle.remove(node.self().address()));
    return idle;
  }

  // ---- META

  /**
   * Looks for holes in META, which it must never have: it is read twice, since it is read piece by
   * piece while it changes.
   */
  void lookForHoles() {
    Optional<String> hole = hole();
    if (hole.isPresent() && hole().equals(hole)) {
      violations.add("META has a hole: " + hole.get());
    }
  }

  private Optional<String> hole() {
    Bytes end = Bytes.EMPTY;
    for (TabletConfig tablet : world.cluster.meta().tablets(Workload.TABLE)) {
      if (tablet.first().compareTo(end) > 0) {
        return Optional.of("between \"" + end + "\" and \"" + tablet.first() + "\"");
      }
      if (tablet.last().isEmpty()) {
        return Optional.empty();
      }
      end = tablet.last().get();
    }
    return Optional.of("after \"" + end + "\"");
  }

  // ---- the end

  private void end() {
    note("the end: all goes on");
    due.forEach(each -> each.action().run());
    due.clear();
    world.points.releaseAll();
    world.nodes().stream().filter(world::isFrozen).forEach(world::thaw);
    idleMachines().forEach(world::start);
    for (int i = 0; i < 5; i++) {
      world.pass(Sessions.TIME.dividedBy(2));
    }
    idleMachines().forEach(world::start);
    if (!within(1_500, () -> open.stream().allMatch(each -> each.done.isDone()) && isServed())) {
      act("repair META", this::repair);
    }
    if (await("operations end", () -> open.stream().allMatch(each -> each.done.isDone()))
        && await("all tablets are served", this::isServed)) {
      must("look at everything", () -> violations.addAll(workload.check(world.master().tables())));
      must("verify META", this::verify);
      if (shortLogs) {
        must("let logs go", this::checkLogs);
      }
    }
    world.twoOwners().forEach(violations::add);
  }

  private boolean await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + SOON_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        violations.add(
            what
                + ": not within "
                + Duration.ofNanos(SOON_NANOS)
                + "; open: "
                + open.stream().filter(each -> !each.done.isDone()).map(Operation::what).toList());
        return false;
      }
      world.endThoseThatKnow();
      idleMachines().forEach(world::start);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
    return true;
  }

  /** Whether all tablets are, as META says. */
  boolean isServed() {
    try {
      for (MetaLevel level : MetaLevel.values()) {
        List<TabletConfig> tablets = world.cluster.meta().tablets(level, _ -> {}, _ -> {});
        if (!tablets.stream().allMatch(this::isServed)) {
          return false;
        }
      }
      return true;
    } catch (SteleException e) {
      return false;
    }
  }

  private boolean isServed(TabletConfig tablet) {
    return world.nodes().stream()
        .filter(node -> hasLog(node, tablet))
        .flatMap(node -> World.tablets(node, tablet.table()).stream())
        .anyMatch(
            info ->
                info.last().equals(tablet.last()) && info.state() == TabletState.ACTIVE.number());
  }

  private static boolean hasLog(Node node, TabletConfig tablet) {
    return tablet.log().filter(log -> log.directory().name().equals(node.self().run())).isPresent();
  }

  /** In the end logs must have been let go as far as possible. */
  void expectShortLogs() {
    shortLogs = true;
  }

  /** A save that failed while META was away is tried again within five seconds. */
  private void checkLogs() {
    long end = System.nanoTime() + SOON_NANOS * 4 / 5; // of what this operation may take
    for (int tries = 1; longLogs().isPresent(); tries++) {
      if (System.nanoTime() > end) {
        violations.add("a log is kept that nobody needs: " + longLogs().orElse("none"));
        return;
      }
      for (Node node : world.nodes()) {
        for (String table : List.of(Workload.TABLE, TableNames.META1, TableNames.META0)) {
          node.control().flush(table);
        }
      }
      workload.node(random);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.min(2L * tries, 200)));
    }
  }

  private Optional<String> longLogs() {
    for (Node node : world.nodes()) {
      int files = logFiles(node).size();
      if (files > MOST_LOG_FILES) {
        return Optional.of(files + " files of " + node);
      }
    }
    return Optional.empty();
  }

  private List<FileInfo> logFiles(Node node) {
    try {
      return world.cluster.files().list(FilePath.of("log/" + node.self().run())).stream()
          .filter(file -> file.path().name().endsWith(".log"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Optional<FileInfo> newestLogFile(Node node) {
    List<FileInfo> files = logFiles(node);
    return files.isEmpty() ? Optional.empty() : Optional.of(files.getLast());
  }

  /** A change of two META servers that was cut off in the middle is for people to repair. */
  private void repair() {
    List<MetaProblem> problems = world.master().tables().repairMeta("", true);
    problems.forEach(problem -> note("  " + problem.explanation() + ": " + problem.repair()));
  }

  /** Every tablet is where it says, begins where the last one ended, and has all its files. */
  private void verify() {
    long end = System.nanoTime() + SOON_NANOS * 2 / 5; // of what this operation may take
    List<MetaProblem> problems = world.master().tables().verifyMeta("");
    while (!problems.isEmpty() && System.nanoTime() < end) { // a file may go meanwhile
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      problems = world.master().tables().verifyMeta("");
    }
    problems.forEach(problem -> violations.add("META: " + problem.explanation()));
  }

  @Override
  public void close() throws InterruptedException {
    world.close();
  }
}
