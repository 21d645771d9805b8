package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.client.table.RowScan;
import io.stele.it.metastore.Workers;
import io.stele.it.process.SteleCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What people and the master do with tablets, one thing after the other, while clients work and
 * faults happen: a fault may get in its way, and then it is refused.
 */
final class Upkeep implements AutoCloseable {

  /** The kinds of work. */
  enum Work {
    MOVE,
    MOVE_META,
    CUT_META,
    SPLIT,
    JOIN,
    COMPACT,
    FLUSH,
    CHANGE_SCHEMA,
    DRAIN,
    BALANCE,
    COLLECT_FILES
  }

  private static final Set<Work> MAY_COME_LATE =
      EnumSet.of(Work.SPLIT, Work.JOIN, Work.MOVE, Work.MOVE_META, Work.CUT_META);
  private static final Set<Work> MAY_LACK_A_SERVER =
      EnumSet.of(Work.MOVE, Work.MOVE_META, Work.CUT_META, Work.DRAIN);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final String META1 = "META1";
  private static final int DRAIN_LOOKS = 40;
  private static final int MOST_TABLETS = 8; // of a table

  private final Tablets tablets;
  private final Stele stele;
  private final Workers workers;
  private final Map<Work, Integer> done = new EnumMap<>(Work.class); // guarded by itself

  Upkeep(Tablets tablets, long seed) {
    this.tablets = tablets;
    this.stele = tablets.client(PATIENCE);
    this.workers = new Workers("upkeep", seed);
  }

  void start() {
    workers.start(
        random -> {
          Work work = Work.values()[random.nextInt(Work.values().length)];
          try {
            attempt(work, random);
          } catch (SteleException e) {
            if (!passes(work, e)) {
              throw new AssertionError(work + " failed for good", e);
            }
            workers.refused();
          }
          workers.pause(PAUSE);
        });
  }

  private static boolean passes(Work work, SteleException e) {
    return switch (e) {
      case InvalidRequestException _, ConflictException _ -> // another was quicker, or too small
          MAY_COME_LATE.contains(work);
      case NotFoundException _ -> // the server that was to give or get is gone
          MAY_LACK_A_SERVER.contains(work);
      case OutcomeUnknownException _ -> true; // also if the master was replaced while it was at it
      default -> e.retryable();
    };
  }

  private void attempt(Work work, RandomGenerator random) throws InterruptedException {
    if (run(work, random)) {
      synchronized (done) {
        done.merge(work, 1, Integer::sum);
      }
      workers.answered();
    }
  }

  private boolean run(Work work, RandomGenerator random) throws InterruptedException {
    String table = Workloads.TABLES.get(random.nextInt(Workloads.TABLES.size()));
    return switch (work) {
      case MOVE -> move(table, random);
      case MOVE_META -> move(random.nextInt(3) == 0 ? "META0" : META1, random);
      case CUT_META -> cutMeta(random);
      case SPLIT -> split(table, random);
      case JOIN -> join(table, random);
      case COMPACT -> {
        stele.tables().compact(table);
        yield true;
      }
      case FLUSH -> {
        stele.tables().flush(table);
        yield true;
      }
      case CHANGE_SCHEMA -> changeSchema(random);
      case DRAIN -> drain(random);
      case BALANCE -> {
        var _ = stele.cluster().balance(true);
        yield true;
      }
      case COLLECT_FILES -> stele.cluster().collectFiles(true).blocked().isEmpty();
    };
  }

  private TabletInfo any(String table, RandomGenerator random) {
    List<TabletInfo> tablets = stele.tables().tablets(table);
    return tablets.get(random.nextInt(tablets.size()));
  }

  private String anyServer(RandomGenerator random) {
    List<Integer> servers = tablets.servers();
    return tablets.address(servers.get(random.nextInt(servers.size())));
  }

  private boolean move(String table, RandomGenerator random) {
    TabletInfo tablet = any(table, random);
    String target = anyServer(random);
    if (target.equals(tablet.location())) {
      return false;
    }
    var _ = stele.cluster().move(table, within(tablet), target);
    return true;
  }

  /** A row that the tablet holds. */
  private static Bytes within(TabletInfo tablet) {
    return tablet.last().orElseGet(() -> tablet.first().concat(Bytes.utf8("~")));
  }

  private boolean split(String table, RandomGenerator random) {
    if (stele.tables().tablets(table).size() >= MOST_TABLETS) {
      return false;
    }
    Bytes at =
        Bytes.utf8(
            table.equals(Workloads.LIST)
                ? "%016x".formatted(random.nextLong())
                : Workloads.row(random.nextInt(24)));
    var _ = stele.tables().split(table, at, at);
    return true;
  }

  /** Has META1 on two servers, cut within the rows of any table, or in one piece again. */
  private boolean cutMeta(RandomGenerator random) {
    if (stele.tables().tablets(META1).size() > 1) {
      return random.nextInt(4) == 0 ? join(META1, random) : move(META1, random);
    }
    List<Bytes> rows = new ArrayList<>();
    try (RowScan scan = stele.table(META1).scan(ReadPredicate.ALL)) {
      for (var row = scan.next(); row.isPresent(); row = scan.next()) {
        rows.add(row.get().key());
      }
    }
    Bytes at = rows.get(random.nextInt(rows.size() - 1)); // not the last: both halves have rows
    stele.tables().flush(META1);
    var _ = stele.tables().split(META1, at, at);
    return move(META1, random);
  }

  private boolean join(String table, RandomGenerator random) {
    TabletInfo lower = any(table, random);
    if (lower.last().isEmpty()) {
      return false;
    }
    stele.tables().join(table, lower.last().get());
    return true;
  }

  private boolean changeSchema(RandomGenerator random) {
    String table = random.nextBoolean() ? Workloads.EQUAL : Workloads.BANK;
    boolean apart = stele.tables().schema(table).equals(Workloads.APART);
    stele.tables().alter(table, apart ? Workloads.TOGETHER : Workloads.APART);
    return true;
  }

  /** Whatever comes of it, the server gets tablets again. */
  private boolean drain(RandomGenerator random) throws InterruptedException {
    String address = anyServer(random);
    boolean empty = false;
    try {
      for (int i = 0; i < DRAIN_LOOKS && !empty && !workers.isStopping(); i++) {
        empty = stele.cluster().drain(address, true) == 0;
        workers.pause(PAUSE);
      }
    } finally {
      await("the end of a drain")
          .atMost(SteleCluster.RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(() -> stele.cluster().drain(address, false) >= 0);
    }
    return empty;
  }

  /** Ends it; then, without faults, each kind must have been done, or is done now. */
  void stopAndCheck(String story) throws InterruptedException {
    workers.stop();
    RandomGenerator random = new SplittableRandom(1);
    for (Work work : Work.values()) {
      if (!isDone(work)) {
        await(work + " to be done; " + story)
            .atMost(SteleCluster.RECOVERY)
            .ignoreExceptionsMatching(e -> e instanceof SteleException s && passes(work, s))
            .until(
                () -> {
                  attempt(work, random);
                  return isDone(work);
                });
      }
    }
    assertThat(done).containsOnlyKeys(Work.values());
  }

  private boolean isDone(Work work) {
    synchronized (done) {
      return done.containsKey(work);
    }
  }

  void requireWorking() {
    workers.requireWorking();
  }

  @Override
  public String toString() {
    synchronized (done) {
      return workers + " " + done;
    }
  }

  @Override
  public void close() {
    stele.close();
  }
}
