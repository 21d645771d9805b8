package io.stele.tables.sim;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.sim.Actions.Place;
import io.stele.tables.tablet.TabletState;
import io.stele.testkit.sim.HoldPoints.Hold;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Sequences of steps that are dangerous together and rarely meet by chance. Who takes part, and
 * what else happens around them, is the seed's to choose.
 */
final class Motifs {
  private static final int SOON_MILLIS = 40;
  private static final int LOG_HEADER = 24; // bytes of a log file without records

  private final Schedule schedule;
  private final World world;
  private final Workload workload;
  private final Actions actions;
  private final RandomGenerator random;

  Motifs(Schedule schedule, Actions actions) {
    this.schedule = schedule;
    this.world = schedule.world;
    this.workload = schedule.workload;
    this.actions = actions;
    this.random = schedule.random;
  }

  /** One of them. */
  void play() {
    switch (random.nextInt(19) / 2) { // the last one takes longest, and comes half as often
      case 0 -> leaveWhileSavesWait();
      case 1 -> serveADeadLogsTail();
      case 2 -> removeAFamilyDuringAMove();
      case 3 -> joinOverTwoMetaTablets();
      case 4 -> comeBackWithNewerRows();
      case 5 -> resumeAfterOthersTookOver();
      case 6 -> loseATablet();
      case 7 -> removeAFamilyBeforeAllKnow();
      case 8 -> moveToASlowerClock();
      default -> splitWhileMetaIsAway();
    }
  }

  private Optional<Node> owner(Place place) {
    return world.owner(place.table(), place.row()).filter(node -> !world.isFrozen(node));
  }

  private Optional<Node> another(Node node) {
    List<Node> others = world.working().stream().filter(each -> each != node).toList();
    return others.isEmpty() ? Optional.empty() : Optional.of(actions.any(others));
  }

  private void begin(String name) {
    schedule.note("motif: " + name);
  }

  private void writeNodes(int count) {
    for (int i = 0; i < count; i++) {
      schedule.act("write a node", () -> workload.node(random));
    }
  }

  /**
   * A tablet leaves while the configuration of its last flush waits for another save, which waits
   * for META; its server dies.
   */
  private void leaveWhileSavesWait() {
    Place place = new Place(Workload.TABLE, Bytes.utf8(actions.any(List.of("2", "6", "a", "d"))));
    Optional<Node> owner = owner(place);
    Optional<Node> target = owner.flatMap(this::another);
    if (target.isEmpty()) {
      return;
    }
    begin("a tablet leaves while its saves wait");
    Place meta1 =
        new Place(TableNames.META1, new TabletKey(place.table(), Optional.empty()).metaRow());
    if (owner(meta1).equals(owner)) { // where a save waits for nobody
      actions.move(meta1, target.get());
    }
    String run = owner.get().self().run();
    writeNodes(4);
    Hold save = world.points.arm(run, "meta apply");
    schedule.act("flush", () -> owner.get().control().flush(Workload.TABLE));
    boolean _ = save.awaitHolding(SOON_MILLIS, TimeUnit.MILLISECONDS);
    writeNodes(8);
    schedule.act("flush", () -> owner.get().control().flush(Workload.TABLE));
    actions.move(place, target.get());
    boolean _ = schedule.within(SOON_MILLIS, () -> isAt(owner.get(), place, TabletState.DISABLED));
    Hold leave = world.points.arm(run, "meta apply");
    save.release();
    boolean _ = leave.awaitHolding(SOON_MILLIS, TimeUnit.MILLISECONDS);
    actions.kill(owner.get());
  }

  private static boolean isAt(Node node, Place place, TabletState state) {
    return World.tablets(node, place.table()).stream()
        .anyMatch(
            tablet -> tablet.range().contains(place.row()) && tablet.state() == state.number());
  }

  /**
   * A server dies between a write and its sync. Others serve what it wrote, and the power fails
   * before META says that they have it in files of their own.
   */
  private void serveADeadLogsTail() {
    Place place = new Place(Workload.TABLE, Bytes.utf8("x1"));
    Optional<Node> owner = owner(place);
    if (owner.isEmpty() || world.working().size() < 2) {
      return;
    }
    begin("a dead log's tail is served, then the power fails");
    Place meta1 =
        new Place(TableNames.META1, new TabletKey(place.table(), Optional.empty()).metaRow());
    if (owner(meta1).equals(owner)) { // who takes over would have to find META first
      another(owner.get()).ifPresent(other -> actions.move(meta1, other));
    }
    if (!holdSyncOfRecord(
        owner.get(), () -> schedule.act("write columns", () -> workload.writeColumns("x1")))) {
      return;
    }
    actions.kill(owner.get());
    world.working().forEach(node -> world.points.arm(node.self().run(), "meta apply", 1));
    for (int i = 0; i < 4; i++) {
      actions.tick();
    }
    boolean _ =
        schedule.within(
            5 * SOON_MILLIS,
            () -> owner(place).filter(node -> isAt(node, place, TabletState.ACTIVE)).isPresent());
    schedule.act("read columns", () -> workload.readColumns("x1"));
    actions.losePower();
  }

  /**
   * Holds a server's log thread where it has written a record and not synced it; false if it does
   * not come there. A new file is synced first, when it has nothing but its header.
   */
  private boolean holdSyncOfRecord(Node node, Runnable write) {
    String run = node.self().run();
    Hold sync = world.points.arm(run, "log sync");
    write.run();
    for (int syncs = 0; syncs < 2; syncs++) {
      if (!sync.awaitHolding(SOON_MILLIS, TimeUnit.MILLISECONDS)) {
        break;
      }
      if (schedule.newestLogFile(node).filter(file -> file.length() > LOG_HEADER).isPresent()) {
        return true;
      }
      Hold next = world.points.arm(run, "log sync");
      sync.release();
      sync = next;
    }
    sync.release();
    return false;
  }

  /** A family is removed while a tablet with cells of it is on its way, and then comes back. */
  private void removeAFamilyDuringAMove() {
    Place place = new Place(Workload.TABLE, Bytes.utf8("w0"));
    Optional<Node> owner = owner(place);
    Optional<Node> target = owner.flatMap(this::another);
    if (target.isEmpty()) {
      return;
    }
    begin("a family is removed while a tablet moves");
    schedule.act("write to the family", () -> workload.writeGoing("w0"));
    Hold load = world.points.arm(target.get().self().run(), "order load");
    actions.move(place, target.get());
    actions.toggleFamily();
    if (random.nextBoolean()) {
      actions.toggleFamily(); // while the tablet has no server
      schedule.act("write to the family", () -> workload.writeGoing("w1"));
    }
    load.release();
    boolean _ = schedule.within(SOON_MILLIS, () -> owner(place).isPresent());
    actions.toggleFamily();
  }

  /** One client removes a family and another brings it back before every server has heard of it. */
  private void removeAFamilyBeforeAllKnow() {
    Place place = new Place(Workload.TABLE, Bytes.utf8("w0"));
    Optional<Node> owner = owner(place);
    if (owner.isEmpty()) {
      return;
    }
    begin("a family is removed and added before its server knows");
    schedule.act("write to the family", () -> workload.writeGoing("w0"));
    Hold first = world.points.arm(owner.get().self().run(), "order reloadSchema");
    actions.toggleFamily();
    Hold second = world.points.arm(owner.get().self().run(), "order reloadSchema");
    actions.toggleFamily();
    if (random.nextInt(3) == 0) {
      actions.kill(owner.get());
    }
    second.release();
    first.release();
  }

  /** Two tablets are joined whose rows of META are on two servers. */
  private void joinOverTwoMetaTablets() {
    Place place = new Place(Workload.TABLE, Bytes.utf8("2"));
    Optional<Node> owner = owner(place);
    if (owner.isEmpty()) {
      return;
    }
    begin("a join over two tablets of META");
    Bytes at = Bytes.utf8(actions.any(List.of("2", "6", "a")));
    actions.cutMeta(at);
    Optional<Node> joiner = owner(new Place(Workload.TABLE, at));
    if (joiner.isEmpty()) {
      return;
    }
    String point = random.nextBoolean() ? "meta apply" : "meta apply done";
    Hold half = world.points.arm(joiner.get().self().run(), point, random.nextInt(4));
    actions.join(at);
    boolean held = half.awaitHolding(SOON_MILLIS, TimeUnit.MILLISECONDS);
    schedule.act("look for holes in META", schedule::lookForHoles);
    if (held && random.nextBoolean()) {
      actions.kill(joiner.get());
    }
    half.release();
  }

  /** A client that has read a row writes it when the tablet has been elsewhere, and changed. */
  private void comeBackWithNewerRows() {
    Place place = new Place(Workload.TABLE, Bytes.utf8("y0"));
    Optional<Node> owner = owner(place);
    Optional<Node> target = owner.flatMap(this::another);
    if (target.isEmpty()) {
      return;
    }
    begin("a tablet goes and comes back");
    schedule.act("add", () -> workload.add("y0"));
    schedule.act("read a counter", () -> workload.prepareAddition("y0"));
    actions.move(place, target.get());
    schedule.act("add", () -> workload.add("y0"));
    actions.move(place, owner.get());
    schedule.act("write a counter", workload::finishAddition);
  }

  /** A row is written where the clock is ahead, and overwritten where it is not. */
  private void moveToASlowerClock() {
    Place place = new Place(Workload.TABLE, Bytes.utf8("x1"));
    Optional<Node> owner = owner(place);
    Optional<Node> target = owner.flatMap(this::another);
    if (target.isEmpty()) {
      return;
    }
    begin("a tablet moves to a server whose clock is behind");
    world.clock(owner.get().self().address()).jump(Duration.ofSeconds(1 + random.nextInt(60)));
    schedule.act("write columns", () -> workload.writeColumns("x1"));
    if (random.nextBoolean()) {
      actions.kill(owner.get());
      for (int i = 0; i < 4; i++) {
        actions.tick();
      }
      boolean _ = schedule.within(3 * SOON_MILLIS, () -> owner(place).isPresent());
    } else {
      actions.move(place, target.get());
    }
    schedule.act("write columns", () -> workload.writeColumns("x1"));
    schedule.act("read columns", () -> workload.readColumns("x1"));
  }

  /** A machine is suspended with writes under way, and goes on when others have its tablets. */
  private void resumeAfterOthersTookOver() {
    Place place = actions.anyTablet();
    Optional<Node> owner = owner(place);
    if (owner.isEmpty() || world.working().size() < 2) {
      return;
    }
    begin("a suspended server goes on");
    world.freeze(owner.get());
    writeNodes(6);
    for (int i = 0; i < 4; i++) {
      actions.tick();
    }
    boolean _ =
        schedule.within(
            3 * SOON_MILLIS,
            () -> owner(place).filter(node -> isAt(node, place, TabletState.ACTIVE)).isPresent());
    schedule.note("resume " + owner.get());
    world.thaw(owner.get());
    writeNodes(1);
  }

  /**
   * META says that a tablet is nobody's, as after a departure whose answer was lost, and its server
   * flushes it. What it would save is refused for good, and must not keep its log for ever.
   */
  private void loseATablet() {
    begin("a tablet is taken from a server that lives");
    schedule.act(
        "create a table",
        () -> world.master().tables().create("d", TableSchema.ofFamilies("f"), List.of()));
    Optional<Node> owner = owner(new Place("d", Bytes.utf8("0")));
    if (owner.isEmpty()) {
      return;
    }
    schedule.act("write", () -> owner.get().table("d").apply(TableFixture.put("0", "f:", 1, "0")));
    schedule.act(
        "take the tablet away",
        () -> {
          MetaTable meta = world.cluster.meta();
          TabletConfig left =
              meta.tablet(new TabletKey("d", Optional.empty()))
                  .orElseThrow()
                  .withServer("", List.of());
          Futures.await(
              meta.apply(MetaLevel.META1, new MetaTable.Change(List.of(left), List.of())));
        });
    schedule.act("flush", () -> owner.get().control().flush("d"));
    schedule.expectShortLogs();
  }

  /**
   * META1 leaves a server that does not reach META0, and stays there half gone. That server has
   * configurations to save in META1, and begins a split, which waits for them. If it held what the
   * departure of META1 needs, both would wait for ever.
   */
  private void splitWhileMetaIsAway() {
    Place meta0 = new Place(TableNames.META0, Bytes.EMPTY.successor());
    Place place = new Place(Workload.TABLE, Bytes.utf8(actions.any(List.of("2", "6", "a"))));
    Place meta1 =
        new Place(TableNames.META1, MetaRows.tablet(place.table(), Optional.of(place.row())));
    Optional<Node> server = owner(meta1);
    Optional<Node> other = server.flatMap(this::another);
    if (other.isEmpty()) {
      return;
    }
    begin("a split while META is away");
    if (owner(meta0).equals(server)) {
      actions.move(meta0, other.get());
    }
    if (!owner(place).equals(server)) {
      actions.move(place, server.get());
    }
    writeNodes(8);
    world.cutOffFromMeta(server.get());
    actions.move(meta1, other.get());
    boolean _ = schedule.within(SOON_MILLIS, () -> isAt(server.get(), meta1, TabletState.DISABLED));
    schedule.act("flush", () -> server.get().control().flush(Workload.TABLE));
    schedule.act(
        "split at " + place.row() + " without a master",
        () -> {
          var _ = server.get().server().split(Workload.TABLE, place.row(), place.row());
        });
    schedule.awaitQuiet();
    schedule.later(
        1,
        () -> {
          schedule.note("reconnect " + server.get());
          world.reconnect(server.get());
          actions.move(meta1, other.get());
        });
  }
}
