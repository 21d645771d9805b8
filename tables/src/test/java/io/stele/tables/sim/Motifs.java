package io.stele.tables.sim;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.sim.Actions.Place;
import io.stele.tables.tablet.TabletState;
import io.stele.testkit.sim.HoldPoints.Hold;
import io.stele.testkit.table.TableFixture;
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
    switch (random.nextInt(9)) {
      case 0 -> leaveWhileSavesWait();
      case 1 -> serveADeadLogsTail();
      case 2 -> removeAFamilyDuringAMove();
      case 3 -> joinOverTwoMetaTablets();
      case 4 -> comeBackWithNewerRows();
      case 5 -> resumeAfterOthersTookOver();
      case 6 -> loseATablet();
      case 7 -> removeAFamilyBeforeAllKnow();
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
    Hold sync = world.points.arm(owner.get().self().run(), "log sync");
    schedule.act("write columns", () -> workload.writeColumns("x1"));
    if (!sync.awaitHolding(SOON_MILLIS, TimeUnit.MILLISECONDS)) {
      sync.release();
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

  /** META1 leaves a server while META0 is away, and that server is to split a tablet meanwhile. */
  private void splitWhileMetaIsAway() {
    Place meta0 = new Place(TableNames.META0, Bytes.EMPTY.successor());
    Place meta1 = new Place(TableNames.META1, Bytes.EMPTY.successor());
    Optional<Node> server = owner(meta1);
    Optional<Node> root = owner(meta0);
    Optional<Node> other = server.flatMap(this::another);
    if (root.isEmpty() || other.isEmpty()) {
      return;
    }
    begin("a split while META is away");
    if (root.equals(server)) {
      actions.move(meta0, other.get());
    }
    Hold held = world.points.arm(server.get().self().run(), "meta apply");
    actions.move(meta1, other.get());
    schedule.act("flush", () -> server.get().control().flush(Workload.TABLE));
    Bytes row = Bytes.utf8(actions.any(List.of("2", "6", "a")));
    schedule.act(
        "split at " + row,
        () -> {
          var _ = world.master().tables().split(Workload.TABLE, row, row);
        });
    writeNodes(2);
    held.release();
  }
}
