package io.stele.bench.replica;

import io.stele.base.table.Consistency.Acks;
import io.stele.bench.measure.ClosedLoop;
import io.stele.bench.measure.Contest;
import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.CpuCost;
import io.stele.bench.measure.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Servers of both kinds of tables, which run side by side and are written to in turns, and the
 * limit among them: the idle ones cost the others a few heartbeats.
 */
final class WriteArena implements AutoCloseable {
  static final String TABLE = "writes";

  /** Nobody is replaced while rates are measured. */
  private static final Duration NEVER = Duration.ofHours(1);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int WARM_UP_WRITERS = 64;
  private static final long RECORDS = 1_000_000;

  private final ReplicaSetup setup;
  private final Map<TableSide, TableServers> running = new LinkedHashMap<>();
  private final List<Path> directories = new ArrayList<>();
  private final AtomicLong editions = new AtomicLong();

  /** What an entrant showed. */
  record Shown(String name, Summary summary, CpuCost cost) {}

  private WriteArena(ReplicaSetup setup) {
    this.setup = setup;
  }

  static WriteArena open(ReplicaSetup setup) throws Exception {
    WriteArena arena = new WriteArena(setup);
    try {
      for (TableSide side : setup.sides()) {
        arena.add(side);
      }
      return arena;
    } catch (Exception e) {
      arena.close();
      throw e;
    }
  }

  private void add(TableSide side) throws Exception {
    Path directory = setup.workspace().directory(side.name());
    directories.add(directory);
    TableServers servers = side.start(directory, NEVER);
    running.put(side, servers);
    servers.create(TABLE, Rows.SPLITS);
    setup.progress().line(side.name() + ": started");
    long done = 0;
    for (int turn = 0; turn < setup.extent().warmUpTurns(); turn++) {
      done += loop(servers, Acks.MAJORITY, WARM_UP_WRITERS, setup.extent().phase()).runs();
    }
    setup.progress().line("%s: warmed up by %d writes".formatted(side.name(), done));
  }

  private Sample loop(TableServers servers, Acks acks, int writers, Duration length)
      throws Exception {
    List<ClosedLoop.Client> clients = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      SplittableRandom chance = new SplittableRandom(writer);
      int through = writer % TableServers.SERVERS;
      clients.add(
          () ->
              servers.write(
                  TABLE,
                  acks,
                  through,
                  Rows.key(chance.nextLong(RECORDS)),
                  Rows.value(editions.incrementAndGet(), Rows.SMALL_VALUE)));
    }
    return new ClosedLoop(length, PATIENCE, servers.processes()).run(clients);
  }

  /** One round after the other of all levels, the tablet table and, in the end, the limit. */
  List<Shown> contest(String name, int writers) throws Exception {
    List<Entrant> entrants = new ArrayList<>();
    List<CpuCost> costs = new ArrayList<>();
    for (Acks acks : Acks.values()) {
      enter(entrants, costs, setup.replicated(), level(acks), acks, writers);
    }
    enter(entrants, costs, setup.tablets(), setup.tablets().name(), Acks.ALL, writers);
    if (setup.limit() instanceof Limit.Present limit) {
      costs.add(new CpuCost());
      entrants.add(
          new Entrant(
              limit.name(),
              () -> limited(limit, writers, warmUp()),
              () -> limited(limit, writers, setup.extent().phase())));
    }
    List<Summary> summaries =
        new Contest(name, "writes/s", Sample::perSecond, setup.progress())
            .run(setup.extent().rounds(), entrants);
    List<Shown> shown = new ArrayList<>();
    for (int i = 0; i < entrants.size(); i++) {
      shown.add(new Shown(entrants.get(i).name(), summaries.get(i), costs.get(i)));
    }
    return shown;
  }

  /** As it stands in the name of a result. */
  static String level(Acks acks) {
    return acks.name().toLowerCase(Locale.ROOT);
  }

  private void enter(
      List<Entrant> entrants,
      List<CpuCost> costs,
      TableSide side,
      String name,
      Acks acks,
      int writers)
      throws Exception {
    TableServers servers = running.get(side);
    if (servers == null) {
      throw new IllegalStateException(side.name() + " does not run");
    }
    CpuCost cost = new CpuCost();
    costs.add(cost);
    entrants.add(
        new Entrant(
            name,
            () -> loop(servers, acks, writers, warmUp()),
            () ->
                cost.count(
                    servers.processes(),
                    () -> loop(servers, acks, writers, setup.extent().phase()))));
  }

  private Duration warmUp() {
    return setup.extent().phase().dividedBy(2);
  }

  private Sample limited(Limit.Present limit, int writers, Duration length) throws Exception {
    Path directory = setup.workspace().directory(limit.name());
    try {
      return limit.write(directory, writers, length);
    } finally {
      setup.workspace().delete(directory);
    }
  }

  @Override
  public void close() throws Exception {
    for (TableServers servers : running.values()) {
      servers.close();
    }
    for (Path directory : directories) {
      setup.workspace().delete(directory);
    }
  }
}
