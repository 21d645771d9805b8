package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.Cluster;
import io.stele.base.table.MetaProblem;
import io.stele.base.time.RandomSource;
import io.stele.tables.files.MetaFiles;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.files.Trash;
import io.stele.tables.master.BalancePolicy.PlannedMove;
import io.stele.tables.master.JoinPolicy.PlannedJoin;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.txn.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The master of a cluster: it sees to it that every tablet is served, evens out what servers have,
 * and deletes files that nothing needs. It keeps nothing of its own: all it knows is in META and in
 * what servers say, so that any node can go on where another ended.
 *
 * <p>It works in rounds. A round reads who lives and what META says ({@link Survey}), and starts
 * what follows from that ({@link Assigner}, {@link Mover}, {@link FileCollector}) without waiting
 * for it; what ends starts the next round. So a server that is slow holds up its own tablets only.
 *
 * <p>Threads: any number may call. Its own are one for rounds, and a virtual one for each order
 * that is under way.
 */
public final class Master implements Cluster, AutoCloseable {
  private final MasterParts parts;
  private final MasterSettings settings;
  private final Orders orders;
  private final Survey survey;
  private final Reservations reservations;
  private final Troubles troubles;
  private final LoadRates rates;
  private final Assigner assigner;
  private final Mover mover;
  private final Balancer balancer;
  private final Joiner joiner;
  private final FileCollector collector;
  private final Trash trash;
  private final TableCopies copies;
  private final ClusterTables tables;
  private final ReentrantLock rounds = new ReentrantLock(); // one at a time
  private final ReentrantLock moving = new ReentrantLock(); // one plan at a time
  private final ReentrantLock collecting = new ReentrantLock();
  private final Jobs jobs;

  @GuardedBy("rounds")
  private final Set<LiveServer> known = new HashSet<>();

  @GuardedBy("rounds")
  private final Set<String> unreadable = new HashSet<>();

  private volatile long balanceDue;
  private volatile long collectDue;
  private volatile boolean closed;

  public Master(MasterParts given, MasterSettings settings) {
    this.parts = given.withLead(new Lead(given.lead()));
    this.settings = settings;
    this.jobs = new Jobs(parts.clock(), this::report);
    this.orders = new Orders(parts, settings);
    this.reservations = new Reservations(parts.clock());
    StoreIdentity identity =
        new StoreIdentity(parts.files(), parts.logs(), parts.root(), RandomSource.system());
    this.survey = new Survey(parts, orders, reservations, identity);
    this.troubles = new Troubles(parts.clock(), settings);
    this.rates = new LoadRates(parts.clock());
    this.assigner = new Assigner(parts, orders, reservations, troubles, jobs::start, jobs::wake);
    this.mover = new Mover(parts, settings, orders, reservations, assigner, jobs::wake);
    this.balancer = new Balancer(parts, settings, orders, reservations, assigner, rates);
    this.joiner = new Joiner(parts, settings, orders, reservations, mover, rates);
    this.trash = new Trash(parts.files(), parts.logs(), parts.clock(), parts.trash());
    this.collector =
        new FileCollector(
            parts.files(),
            parts.logs(),
            parts.membership()::live,
            balancer::reports,
            survey::durableConfigs,
            identity::mismatch,
            trash);
    this.copies = new TableCopies(parts, settings, orders);
    this.tables = new ClusterTables(this);
    long now = parts.clock().nanos();
    this.balanceDue = now + settings.balanceEvery().toNanos();
    this.collectDue = now + settings.collectEvery().toNanos();
  }

  /** Being the master, for as long as this one works. */
  private final class Lead implements Lease {
    private final Lease election;

    private Lead(Lease election) {
      this.election = election;
    }

    @Override
    public boolean isHeld() {
      return !closed && election.isHeld();
    }

    @Override
    public void check() {
      if (!isHeld()) {
        throw new FencedException("this node is no longer the master");
      }
    }
  }

  MasterParts parts() {
    return parts;
  }

  MasterSettings settings() {
    return settings;
  }

  Orders orders() {
    return orders;
  }

  Survey survey() {
    return survey;
  }

  Reservations reservations() {
    return reservations;
  }

  TableCopies copies() {
    return copies;
  }

  Joiner joiner() {
    return joiner;
  }

  /** What can be done with the tables of the cluster. */
  public ClusterTables tables() {
    return tables;
  }

  // ---- rounds

  /** Begins to work, until it is closed or no longer the master. */
  public void start() {
    parts.events().accept(new MasterEvent.Leads(parts.address(), parts.token()));
    Thread.ofPlatform().daemon().name("stele-master").start(this::run);
  }

  /** Something has changed that it should look at: a server came or went. */
  public void wake() {
    jobs.wake();
  }

  private void run() {
    while (parts.lead().isHeld()) {
      long seen = jobs.news();
      Duration pause = settings.round();
      try {
        round();
        pause =
            troubles
                .untilNext()
                .filter(next -> next.compareTo(settings.round()) < 0)
                .orElse(settings.round());
      } catch (RuntimeException e) { // one that got away would leave tablets unserved for good
        if (parts.lead().isHeld()) {
          report("look at the cluster", e);
          pause = settings.firstRetry();
        }
      }
      jobs.awaitNews(seen, pause);
    }
  }

  /**
   * Looks at the cluster once, and starts what is to be done.
   *
   * @return how it was found
   */
  Picture round() {
    rounds.lock();
    try {
      parts.lead().check();
      Picture picture = survey.lookAndBegin();
      if (repairHalves(picture)) {
        picture = survey.look();
      }
      tellChanges(picture);
      rates.keepOnly(picture.live());
      boolean served = assigner.assign(picture);
      if (picture.whole()) {
        copies.clean(picture.unfinished());
        startUpkeep(picture, served);
      }
      return picture;
    } finally {
      rounds.unlock();
    }
  }

  /**
   * A server that died in the middle of a split or join, whose two rows of META were on two
   * servers, leaves two tablets with the same rows. So does one whose write of one row arrives when
   * others have taken over the tablet of the other row. {@link io.stele.tables.meta.MetaRepair}
   * says which row is wrong; it is corrected before anybody loads it.
   *
   * @return whether META was changed
   */
  private boolean repairHalves(Picture picture) {
    Set<TabletConfig> unowned = Set.copyOf(picture.unowned());
    Set<String> tables = new TreeSet<>();
    TabletConfig before = null;
    for (TabletConfig tablet : unowned.isEmpty() ? unowned : picture.tablets()) {
      if (before != null
          && before.table().equals(tablet.table())
          && before.first().equals(tablet.first())
          && (unowned.contains(before) || unowned.contains(tablet))) {
        tables.add(tablet.table());
      }
      before = tablet;
    }
    boolean repaired = false;
    for (String table : tables) {
      try {
        repaired |= repairHalves(table, picture.live());
      } catch (SteleException e) { // the others' tablets must not wait for it
        report("repair of table " + table, e);
      }
    }
    return repaired;
  }

  private boolean repairHalves(String table, List<LiveServer> live) {
    parts.lead().check();
    List<MetaProblem> repaired =
        parts
            .meta()
            .repairHalves(
                table,
                new MetaFiles(parts.files()).verifier(_ -> true),
                tablet -> Picture.ownerOf(tablet, live).isEmpty());
    for (MetaProblem each : repaired) {
      parts.events().accept(new MasterEvent.Repaired(table, each.explanation(), each.repair()));
    }
    return !repaired.isEmpty();
  }

  @GuardedBy("rounds")
  private void tellChanges(Picture picture) {
    Set<LiveServer> live = Set.copyOf(picture.live());
    Set<LiveServer> before = Set.copyOf(known);
    live.stream()
        .filter(server -> !before.contains(server))
        .forEach(server -> parts.events().accept(new MasterEvent.ServerJoined(server)));
    before.stream()
        .filter(server -> !live.contains(server))
        .forEach(server -> parts.events().accept(new MasterEvent.ServerLost(server)));
    if (!before.equals(live)) {
      balanceDue = Math.min(balanceDue, parts.clock().nanos()); // a new server gets its share soon
    }
    known.clear();
    known.addAll(live);
    picture
        .unreadable()
        .forEach(
            row -> {
              if (unreadable.add(row.toString())) {
                parts
                    .events()
                    .accept(new MasterEvent.Unservable(ClusterStatus.name(row), row.problem()));
              }
            });
  }

  /** Moves wait until all tablets are served: those come first, and plans by half are bad ones. */
  private void startUpkeep(Picture picture, boolean served) {
    long now = parts.clock().nanos();
    if (served && !moving.isLocked()) {
      List<PlannedMove> drains = balancer.planDrains(picture);
      if (!drains.isEmpty()) {
        jobs.startAlone(
            moving, "drain of servers", () -> madeSome(mover.carryOut(drains, picture.mark())));
      } else if (now - balanceDue >= 0) {
        balanceDue = now + settings.balanceEvery().toNanos();
        jobs.startAlone(moving, "balance", () -> balanceOnce(picture));
      }
    }
    if (now - collectDue >= 0) {
      collectDue = now + settings.collectEvery().toNanos();
      jobs.startAlone(collecting, "collection of files", () -> collect(true, false));
    }
  }

  private void balanceOnce(Picture picture) {
    var answers = balancer.reports(picture.live());
    balancer.loadAgain(picture, balancer.missing(picture, answers));
    if (settings.balance()) {
      List<PlannedMove> moves = balancer.plan(picture, answers, 4 * settings.moves());
      List<PlannedJoin> joins = joiner.plan(picture, Balancer.given(answers));
      boolean some =
          moves.isEmpty()
              ? joiner.carryOut(joins, picture.mark())
              : madeSome(mover.carryOut(moves, picture.mark()));
      if (some) {
        balanceDue = parts.clock().nanos(); // there may be more
      }
    }
  }

  private static boolean madeSome(List<Mover.Outcome> outcomes) {
    return outcomes.stream().anyMatch(outcome -> outcome.problem().isEmpty());
  }

  private void report(String what, RuntimeException cause) {
    if (parts.lead().isHeld()) {
      parts.events().accept(new MasterEvent.BackgroundFailed(what, cause));
    }
  }

  /** Whether nothing is under way. */
  boolean isIdle() {
    return jobs.isIdle();
  }

  /**
   * Works until the cluster is as wanted.
   *
   * @return false if it is not after so long
   */
  boolean settle(Predicate<Picture> wanted, Duration patience) {
    long end = parts.clock().nanos() + patience.toNanos();
    while (true) {
      long seen = jobs.news();
      Optional<SteleException> problem = Optional.empty();
      try {
        if (wanted.test(round())) {
          return true;
        }
      } catch (FencedException e) {
        parts.lead().check();
        problem = Optional.of(e);
      } catch (SteleException e) {
        problem = Optional.of(e);
      }
      Duration left = Duration.ofNanos(end - parts.clock().nanos());
      if (left.isNegative() || left.isZero()) {
        problem.ifPresent(
            e -> {
              throw e;
            });
        return false;
      }
      Duration pause = settings.firstRetry();
      if (!jobs.awaitNews(seen, left.compareTo(pause) < 0 ? left : pause)) {
        return false;
      }
    }
  }

  // ---- Cluster

  @Override
  public Status status() {
    return new ClusterStatus(parts, survey, balancer, troubles, rates).ask();
  }

  @Override
  public List<Move> balance(boolean apply) {
    Picture picture = whole();
    var answers = balancer.reports(picture.live());
    List<PlannedMove> plan = balancer.plan(picture, answers, Integer.MAX_VALUE);
    if (apply) {
      plan = carryOut(plan, picture.mark());
    }
    return describe(picture, plan);
  }

  /** Makes moves, after those that are being made; answers those that succeeded. */
  private List<PlannedMove> carryOut(List<PlannedMove> plan, long mark) {
    moving.lock();
    try {
      return mover.carryOut(plan, mark).stream()
          .filter(outcome -> outcome.problem().isEmpty())
          .map(Mover.Outcome::move)
          .toList();
    } finally {
      moving.unlock();
    }
  }

  /** The cluster with all of META. */
  Picture whole() {
    Picture picture = survey.look();
    if (!picture.whole()) {
      throw new UnavailableException(
          "META is not served as a whole at the moment: "
              + picture.unowned().size()
              + " of its tablets have no server");
    }
    return picture;
  }

  private static List<Move> describe(Picture picture, List<PlannedMove> plan) {
    Map<TabletKey, TabletConfig> tablets =
        picture.tablets().stream()
            .collect(Collectors.toMap(TabletConfig::key, Function.identity(), (one, _) -> one));
    List<Move> moves = new ArrayList<>();
    for (PlannedMove move : plan) {
      Bytes first =
          Optional.ofNullable(tablets.get(move.tablet()))
              .map(TabletConfig::first)
              .orElse(Bytes.EMPTY);
      moves.add(
          new Move(
              move.tablet().table(),
              first,
              move.tablet().last(),
              move.from().address(),
              move.to().address(),
              move.reason()));
    }
    return moves;
  }

  @Override
  public int drain(String address, boolean on) {
    Picture picture = survey.look();
    Optional<LiveServer> server = picture.at(address);
    // One that is down, too: it gets no tablets when it comes back. But not one that never was.
    if (server.isEmpty()
        && !picture.draining().contains(address)
        && !parts.membership().known().contains(address)) {
      throw new NotFoundException(
          "there never was a server at \"" + address + "\"; there are " + addresses(picture));
    }
    parts.membership().setDraining(address, on);
    wake();
    return server.map(each -> picture.byOwner().getOrDefault(each, List.of()).size()).orElse(0);
  }

  static NotFoundException noServer(String address, Picture picture) {
    return new NotFoundException(
        "there is no server at \"" + address + "\"; there are " + addresses(picture));
  }

  private static List<String> addresses(Picture picture) {
    return picture.live().stream().map(LiveServer::address).sorted().toList();
  }

  @Override
  public Move move(String table, Bytes row, String address) {
    Picture picture = survey.look();
    LiveServer target = picture.at(address).orElseThrow(() -> noServer(address, picture));
    if (picture.draining().contains(address)) {
      throw new InvalidRequestException(
          "server " + address + " is drained: it gets no tablets until that is undone");
    }
    TabletKey key = tables.find(table, row).key();
    try (Reservation _ = reservations.takeAll(List.of(key), settings.patience())) {
      TabletConfig tablet = tables.find(table, row);
      Optional<LiveServer> owner = Picture.ownerOf(tablet, parts.membership().live());
      String reason = "asked for";
      if (tablet.key().equals(key)) {
        mover.bring(key, owner, target, reason);
      } else {
        throw new UnavailableException(key + " was split or joined meanwhile: try again");
      }
      return new Move(
          table,
          tablet.first(),
          tablet.last(),
          owner.map(LiveServer::address).orElse(""),
          address,
          reason);
    }
  }

  @Override
  public Garbage collectFiles(boolean apply) {
    return collect(apply, apply);
  }

  private Garbage collect(boolean apply, boolean asked) {
    Garbage garbage = collector.collect(apply, asked);
    if (!garbage.blocked().isEmpty()) {
      parts.events().accept(new MasterEvent.CollectionBlocked(garbage.blocked()));
    } else if (apply && !garbage.files().isEmpty()) {
      parts.events().accept(new MasterEvent.FilesTrashed(garbage.files().size(), garbage.bytes()));
    }
    if (apply) {
      tidyTrash();
    }
    return garbage;
  }

  private void tidyTrash() {
    Trash.Tidied gone = trash.tidy();
    if (gone.old().files() > 0) {
      parts.events().accept(new MasterEvent.TrashEmptied(gone.old().files(), gone.old().bytes()));
    }
    if (gone.early().files() > 0) {
      parts
          .events()
          .accept(new MasterEvent.TrashGaveWay(gone.early().files(), gone.early().bytes()));
    }
  }

  @Override
  public List<TrashedFile> trashedFiles() {
    return trash.list();
  }

  @Override
  public List<String> restoreFiles(String path) {
    return trash.restore(path);
  }

  @Override
  public Emptied emptyTrash(Duration age) {
    return trash.empty(age);
  }

  /** Ends; what servers were told to do, they do. */
  @Override
  public void close() {
    closed = true;
    jobs.wake();
  }
}
