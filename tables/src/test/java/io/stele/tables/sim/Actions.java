package io.stele.tables.sim;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.testkit.sim.HoldPoints.Hold;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** What can happen in one step of a {@link Schedule}. */
final class Actions {
  /** Where threads are held: everywhere META, logs, leases and deletions are touched. */
  private static final List<String> POINTS =
      List.of(
          "meta apply",
          "meta apply done",
          "meta scan done",
          "order applyMeta",
          "order applyMeta done",
          "order load",
          "order load done",
          "order unload",
          "order unload done",
          "order reloadSchema",
          "log create done",
          "log write",
          "log sync",
          "log sync done",
          "log delete",
          "fence replace",
          "fence replace done",
          "fragment finish",
          "fragment finish done",
          "root save",
          "root save done",
          "lease look");

  private final Schedule schedule;
  private final World world;
  private final Workload workload;
  private final RandomGenerator random;
  private int families;

  Actions(Schedule schedule) {
    this.schedule = schedule;
    this.world = schedule.world;
    this.workload = schedule.workload;
    this.random = schedule.random;
  }

  /** One of them, by weight. */
  void any() {
    int chance = random.nextInt(100);
    if (chance < 38) {
      write();
    } else if (chance < 44) {
      flush(random.nextInt(3) == 0 ? TableNames.META1 : Workload.TABLE);
    } else if (chance < 47) {
      compact();
    } else if (chance < 55) {
      move(anyTablet());
    } else if (chance < 58) {
      move(anyMetaTablet());
    } else if (chance < 61) {
      split();
    } else if (chance < 65) {
      join();
    } else if (chance < 67) {
      cutMeta();
    } else if (chance < 68) {
      joinMeta();
    } else if (chance < 72) {
      toggleFamily();
    } else if (chance < 74) {
      addFamilies();
    } else if (chance < 77) {
      kill();
    } else if (chance < 80) {
      restart();
    } else if (chance < 84) {
      tick();
    } else if (chance < 86) {
      freeze();
    } else if (chance < 94) {
      hold();
    } else if (chance < 95) {
      elect();
    } else if (chance < 97) {
      collect();
    } else if (chance < 98) {
      losePower();
    } else {
      changeClock();
    }
  }

  <T> T any(List<T> some) {
    return some.get(random.nextInt(some.size()));
  }

  // ---- rows and files

  void write() {
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      schedule.act("a client's operation", () -> workload.step(random));
    }
  }

  void flush(String table) {
    if (!world.working().isEmpty()) {
      Node node = any(world.working());
      schedule.act("flush " + table + " at " + node, () -> node.control().flush(table));
    }
  }

  private void compact() {
    if (!world.working().isEmpty()) {
      Node node = any(world.working());
      schedule.act("compact at " + node, () -> node.control().compact(Workload.TABLE));
    }
  }

  private void collect() {
    schedule.act("collect files", () -> schedule.note("  " + world.master().collectFiles(true)));
  }

  // ---- tablets

  /** A row of a tablet. */
  record Place(String table, Bytes row) {}

  Place anyTablet() {
    return new Place(
        Workload.TABLE, Bytes.utf8(any(List.of("2", "6", "a", "d", "w0", "x1", "y0", "z0"))));
  }

  private Place anyMetaTablet() {
    return switch (random.nextInt(3)) {
      case 0 -> new Place(TableNames.META0, Bytes.EMPTY.successor());
      case 1 -> new Place(TableNames.META1, Bytes.EMPTY.successor());
      default ->
          new Place(TableNames.META1, new TabletKey(Workload.TABLE, Optional.empty()).metaRow());
    };
  }

  void move(Place place) {
    if (!world.working().isEmpty()) {
      move(place, any(world.working()));
    }
  }

  void move(Place place, Node to) {
    schedule.act(
        "move " + place.table() + " " + place.row() + " to " + to,
        () -> {
          var _ = world.master().move(place.table(), place.row(), to.self().address());
        });
  }

  private void split() {
    Bytes row = Bytes.utf8("%x".formatted(16 + random.nextInt(240)));
    schedule.act(
        "split at " + row,
        () -> {
          var _ = world.master().tables().split(Workload.TABLE, row, row);
        });
  }

  void join() {
    Bytes row = Bytes.utf8(any(List.of("1", "2", "5", "6", "a", "b", "w0", "x0")));
    join(row);
  }

  void join(Bytes row) {
    schedule.act("join at " + row, () -> world.master().tables().join(Workload.TABLE, row));
  }

  /** Cuts META1 in two within the rows of the table, and moves one half to another server. */
  void cutMeta() {
    cutMeta(Bytes.utf8(any(List.of("2", "6", "a", "d", "x0"))));
  }

  /** The same, between the tablet that has a row and the next one. */
  void cutMeta(Bytes row) {
    schedule.act(
        "cut META1 after the tablet with " + row,
        () -> {
          TabletKey key =
              world.cluster.meta().tablets(Workload.TABLE).stream()
                  .filter(tablet -> tablet.range().contains(row))
                  .map(TabletConfig::key)
                  .findFirst()
                  .orElseThrow(() -> new UnavailableException("no tablet with row " + row));
          world.master().tables().flush(TableNames.META1);
          var _ = world.master().tables().split(TableNames.META1, key.metaRow(), key.metaRow());
        });
    move(new Place(TableNames.META1, Bytes.EMPTY.successor()));
  }

  private void joinMeta() {
    schedule.act(
        "join META1",
        () -> world.master().tables().join(TableNames.META1, Bytes.EMPTY.successor()));
  }

  // ---- schemas

  void toggleFamily() {
    schedule.act("toggle a family", () -> workload.toggleFamily(world.master().tables()));
  }

  private void addFamilies() {
    int number = families++;
    schedule.act(
        "two clients add families",
        () -> workload.addFamilies(world.master().tables(), "p" + number, "q" + number));
  }

  // ---- faults

  private void kill() {
    if (world.nodes().size() > 1) {
      kill(any(world.nodes()));
    }
  }

  void kill(Node node) {
    schedule.note("kill " + node);
    world.kill(node);
  }

  void restart() {
    schedule.idleMachines().stream()
        .findFirst()
        .ifPresent(
            machine -> {
              schedule.note("start " + machine);
              world.start(machine);
            });
  }

  void tick() {
    Duration time = Sessions.TIME.dividedBy(3).plusSeconds(random.nextInt(60));
    schedule.note(time + " pass");
    world.pass(time);
  }

  /** A machine is suspended, and goes on some steps later. */
  private void freeze() {
    if (world.working().size() > 1) {
      Node node = any(world.working());
      schedule.note("suspend " + node);
      world.freeze(node);
      for (int i = 1; i < 4; i++) {
        schedule.later(i, this::tick);
      }
      schedule.later(
          3 + random.nextInt(4),
          () -> {
            schedule.note("resume " + node);
            world.thaw(node);
          });
    }
  }

  /** Somebody is held up somewhere for a few steps, and may die there. */
  private void hold() {
    if (world.working().isEmpty()) {
      return;
    }
    Node node = any(world.working());
    Hold hold = world.points.arm(node.self().run(), any(POINTS), random.nextInt(3));
    boolean dies = random.nextInt(3) == 0;
    schedule.note("hold " + hold);
    schedule.later(
        2 + random.nextInt(6),
        () -> {
          if (hold.isHolding() && dies && world.nodes().size() > 1) {
            kill(node);
          } else {
            schedule.note("release " + hold + (hold.isHolding() ? "" : ", where nobody came by"));
            hold.release();
          }
        });
  }

  /** Another master is elected, which the last one learns later. */
  private void elect() {
    Runnable end = world.elect();
    schedule.later(1 + random.nextInt(3), end);
  }

  /**
   * All machines lose their power. What was not synced is gone, or torn; each file that was deleted
   * may come back.
   */
  void losePower() {
    CrashMode mode =
        random.nextBoolean()
            ? CrashMode.dropUnsynced()
            : CrashMode.tornTails(random.nextLong(), any(List.of(CrashMode.Tail.values())));
    schedule.note("power fails: " + mode);
    world.losePower(mode);
    schedule.idleMachines().forEach(world::start);
    world.elect();
  }

  // ---- clocks

  /** How wrong a machine's wall clock is from the start. */
  Duration clockError() {
    return Duration.ofMillis(random.nextInt(6_000) - 3_000);
  }

  /** A clock is set, or begins to run too fast or too slow. */
  private void changeClock() {
    if (!world.nodes().isEmpty()) {
      String machine = any(world.nodes()).self().address();
      if (random.nextBoolean()) {
        double rate = 1 - Sessions.MOST_DRIFT + 2 * Sessions.MOST_DRIFT * random.nextDouble();
        schedule.note("the clock of %s runs at %.2f".formatted(machine, rate));
        world.clock(machine).drift(rate);
      } else {
        Duration by = Duration.ofSeconds(random.nextInt(120) - 60);
        schedule.note("the clock of " + machine + " is set by " + by);
        world.clock(machine).jump(by);
      }
    }
  }
}
