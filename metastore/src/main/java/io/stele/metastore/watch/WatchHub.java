package io.stele.metastore.watch;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Tells watchers what changes.
 *
 * <pre>
 *   applying thread --changed--> recent changes --fan-out thread--> live watchers
 *                                      |
 *                 history --catch-up threads--> watchers that are behind --> live
 * </pre>
 *
 * <p>A watcher is <em>live</em> while it has been told all that the fan-out has passed. One whose
 * sink is not ready when it has events falls behind: it is no longer in the fan-out's index and
 * nothing is queued for it; once the sink is ready it is served from where it stopped, out of the
 * recent changes or the history, a chunk at a turn, until it is live again. So whoever is slow
 * holds up neither the applying thread nor other watchers, and costs no memory.
 *
 * <p>The applying thread takes only the lock of the recent changes, which nobody holds for long.
 */
public final class WatchHub implements AutoCloseable {
  /** The empty store is revision 1, which nothing changed. */
  private static final long FIRST_CHANGE = 2;

  private static final int BATCH = 256; // revisions at a time

  private final WatchSettings settings;
  private final ChangeHistory history;

  // Guards the next three. May be taken while the mutex is held, not the other way round.
  private final ReentrantLock recentLock = new ReentrantLock();
  private final Condition wanted = recentLock.newCondition();
  private final RecentChanges recent;
  private long newest; // the newest revision the state told of
  private boolean attention; // a live watcher wants something else than events
  private boolean closing;

  private final ReentrantLock mutex = new ReentrantLock();
  private final WatcherIndex index = new WatcherIndex(); // of the live ones
  private final Set<Watcher> watchers = new LinkedHashSet<>();
  private int beginning; // watches that are about to be among them
  private Set<Watcher> waiting = new LinkedHashSet<>(); // live ones with a wish
  private long passed; // the fan-out has dealt with all up to here
  private int live; // how many are in the index

  // Whether anybody is live; the applying thread asks. Set before a joining watcher looks at what
  // is
  // newest, so a revision that finds it unset is seen by that look.
  private volatile boolean anyLive;

  private final Thread fanOut;
  private final ExecutorService catchUp;

  /** One revision's events for one watcher. */
  private record Delivery(long revision, List<KeyEvent> events) {}

  public WatchHub(WatchSettings settings, ChangeHistory history) {
    this.settings = settings;
    this.history = history;
    this.recent = new RecentChanges(settings.recent().bytes());
    this.newest = history.revision();
    this.passed = newest;
    this.fanOut = Thread.ofPlatform().name("stele-watch").daemon().unstarted(this::fanOut);
    this.catchUp =
        Executors.newFixedThreadPool(
            settings.threads(),
            Thread.ofPlatform().name("stele-watch-behind-", 0).daemon().factory());
    this.fanOut.start();
  }

  /**
   * A revision was applied; {@link #publish} follows. Called in the order of revisions, by one
   * thread at a time.
   */
  public void changed(Changes changes) {
    recentLock.lock();
    try {
      recent.add(changes);
      newest = changes.revision();
    } finally {
      recentLock.unlock();
    }
  }

  /** As {@link #changed}, by so much that all who watch have it looked up in the history. */
  public void swept(long revision) {
    recentLock.lock();
    try {
      recent.clear();
      newest = revision;
    } finally {
      recentLock.unlock();
    }
  }

  /**
   * Has what changed told: once for many revisions, as waking a thread costs more than a change.
   */
  public void publish() {
    if (!anyLive) {
      return;
    }
    recentLock.lock();
    try {
      wanted.signal();
    } finally {
      recentLock.unlock();
    }
  }

  /** The whole state was replaced by a newer one: what lies between was not told. */
  public void replaced() {
    recentLock.lock();
    try {
      recent.clear();
      newest = history.revision();
      wanted.signal();
    } finally {
      recentLock.unlock();
    }
  }

  /** Rights have changed: asks all watchers' objections again. */
  public void rightsChanged() {
    mutex.lock();
    try {
      watchers.forEach(Watcher::checkAgain);
      watchers.forEach(this::wake);
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Sets a watch.
   *
   * @param objection why it may not go on, asked again when rights change
   */
  public Watch watch(
      WatchRequest request, WatchSink sink, Supplier<Optional<SteleException>> objection) {
    long from =
        request.from() == 0 ? history.revision() + 1 : Math.max(FIRST_CHANGE, request.from());
    Watcher watcher = new Watcher(this, request, sink, objection, from);
    mutex.lock();
    try {
      if (closing) {
        throw closedHere();
      }
      if (watchers.size() + beginning >= settings.watches()) {
        throw new ExhaustedException(
            watchers.size() + beginning + " watches are set: there may be " + settings.watches());
      }
      beginning++;
    } finally {
      mutex.unlock();
    }
    boolean begun = false;
    try {
      begun = begin(watcher);
    } finally {
      join(watcher, begun);
    }
    return watcher;
  }

  /** Tells that it is set, while no other thread knows the sink; false if it ends herewith. */
  private boolean begin(Watcher watcher) {
    watcher.sink().started(watcher.next());
    long oldest = history.oldest();
    if (watcher.next() < oldest) {
      watcher.markClosed();
      watcher.sink().compacted(oldest);
    }
    return !watcher.isClosed();
  }

  private void join(Watcher watcher, boolean begun) {
    boolean late;
    mutex.lock();
    try {
      beginning--;
      late = closing;
      if (begun && !late && !watcher.isClosed()) {
        watchers.add(watcher);
        watcher.checkAgain(); // rights may have changed since they were looked at
      }
    } finally {
      mutex.unlock();
    }
    if (begun && late) {
      fail(watcher, closedHere());
    } else if (begun) {
      schedule(watcher);
    }
  }

  private static UnavailableException closedHere() {
    return new UnavailableException("the metastore is closed here");
  }

  /** How many watches are set. */
  public int size() {
    mutex.lock();
    try {
      return watchers.size();
    } finally {
      mutex.unlock();
    }
  }

  long applied() {
    return history.revision();
  }

  /** The watcher's sink is ready, or it has a wish. */
  void wake(Watcher watcher) {
    mutex.lock();
    try {
      if (watcher.isLive()) {
        waiting.add(watcher);
        attend();
        return;
      }
    } finally {
      mutex.unlock();
    }
    schedule(watcher);
  }

  void remove(Watcher watcher) {
    mutex.lock();
    try {
      if (watcher.markClosed()) {
        watchers.remove(watcher);
        leave(watcher);
      }
    } finally {
      mutex.unlock();
    }
  }

  private void attend() {
    recentLock.lock();
    try {
      attention = true;
      wanted.signal();
    } finally {
      recentLock.unlock();
    }
  }

  // ---- live watchers: the fan-out thread

  private void fanOut() {
    while (awaitWork()) {
      Map<Watcher, List<Delivery>> batch = nextBatch();
      batch.forEach((watcher, events) -> guarded(watcher, () -> deliver(watcher, events)));
      wishes().forEach(watcher -> guarded(watcher, () -> grant(watcher)));
    }
  }

  private boolean awaitWork() {
    long done;
    mutex.lock();
    try {
      done = passed;
    } finally {
      mutex.unlock();
    }
    recentLock.lock();
    try {
      while (!closing && !attention && newest <= done) {
        wanted.awaitUninterruptibly();
      }
      attention = false;
      return !closing;
    } finally {
      recentLock.unlock();
    }
  }

  private Map<Watcher, List<Delivery>> nextBatch() {
    Map<Watcher, List<Delivery>> batch = new LinkedHashMap<>();
    mutex.lock();
    try {
      List<Changes> next;
      boolean gap;
      long last;
      recentLock.lock();
      try {
        last = newest;
        gap = last > passed && !recent.reaches(passed + 1);
        next = gap ? List.of() : recent.between(passed + 1, last, BATCH);
      } finally {
        recentLock.unlock();
      }
      if (gap) {
        leaveToCatchUp(last);
      }
      for (Changes changes : next) {
        match(changes, batch);
        passed = changes.revision();
      }
    } finally {
      mutex.unlock();
    }
    return batch;
  }

  /** The memory is too small for how far the fan-out is behind: the history has it all. */
  private void leaveToCatchUp(long last) {
    for (Watcher watcher : watchers) {
      if (watcher.isLive()) {
        leave(watcher);
        watcher.setNext(Math.max(watcher.next(), passed + 1));
        schedule(watcher);
      }
    }
    passed = last;
  }

  private void match(Changes changes, Map<Watcher, List<Delivery>> batch) {
    if (changes.events().size() == 1) {
      matchOne(changes, batch);
      return;
    }
    Map<Watcher, List<KeyEvent>> found = new LinkedHashMap<>();
    for (KeyEvent event : changes.events()) {
      KeyEvent plain = withoutBefore(event);
      index.find(
          event.now().key(),
          w ->
              found
                  .computeIfAbsent(w, first -> new ArrayList<>())
                  .add(w.request().previous() ? event : plain));
    }
    found.forEach(
        (watcher, events) -> add(new Delivery(changes.revision(), events), watcher, batch));
  }

  /** Most revisions change one key: all its watchers are told the very same. */
  private void matchOne(Changes changes, Map<Watcher, List<Delivery>> batch) {
    KeyEvent event = changes.events().getFirst();
    Delivery full = new Delivery(changes.revision(), changes.events());
    Delivery plain = new Delivery(changes.revision(), List.of(withoutBefore(event)));
    index.find(
        event.now().key(),
        watcher -> add(watcher.request().previous() ? full : plain, watcher, batch));
  }

  private static void add(Delivery delivery, Watcher watcher, Map<Watcher, List<Delivery>> batch) {
    if (delivery.revision() >= watcher.next()) {
      batch.computeIfAbsent(watcher, first -> new ArrayList<>(1)).add(delivery);
    }
  }

  private void deliver(Watcher watcher, List<Delivery> deliveries) {
    for (Delivery delivery : deliveries) {
      if (watcher.isClosed()) {
        return;
      }
      if (!tell(watcher, delivery.revision(), delivery.events())) {
        fallBehind(watcher, delivery.revision());
        return;
      }
      watcher.setNext(delivery.revision() + 1);
    }
  }

  private void fallBehind(Watcher watcher, long revision) {
    mutex.lock();
    try {
      leave(watcher);
      watcher.setNext(revision);
    } finally {
      mutex.unlock();
    }
    // It may have become ready before it was marked: then nobody else would come back to it.
    schedule(watcher);
  }

  private Set<Watcher> wishes() {
    mutex.lock();
    try {
      Set<Watcher> wishes = waiting;
      waiting = new LinkedHashSet<>();
      return wishes;
    } finally {
      mutex.unlock();
    }
  }

  /** Only after all events of the batch, so that no progress is ahead of them. */
  private void grant(Watcher watcher) {
    Optional<SteleException> objection = watcher.objection();
    if (objection.isPresent()) {
      fail(watcher, objection.get());
      return;
    }
    long wished = watcher.progressFor();
    if (wished == Watcher.NO_PROGRESS || watcher.isClosed() || !watcher.isLive()) {
      return;
    }
    if (Math.max(passed, watcher.covered()) < wished) {
      mutex.lock();
      try {
        waiting.add(watcher); // until the fan-out has come that far
      } finally {
        mutex.unlock();
      }
    } else if (watcher.sink().isReady()) {
      watcher.progressTold(wished); // before it is told: who hears it may wish again
      watcher.sink().progress(Math.max(passed, watcher.covered()));
    }
  }

  // ---- watchers that are behind: the catch-up threads

  private enum Turn {
    AGAIN,
    ENOUGH
  }

  private void schedule(Watcher watcher) {
    if (watcher.turns().getAndIncrement() == 0) {
      execute(watcher);
    }
  }

  private void execute(Watcher watcher) {
    try {
      catchUp.execute(() -> run(watcher));
    } catch (RejectedExecutionException e) {
      // Closing: all watches are being ended.
    }
  }

  /** One turn; then others have theirs. */
  private void run(Watcher watcher) {
    int asked = watcher.turns().get();
    AtomicReference<Turn> turn = new AtomicReference<>(Turn.ENOUGH);
    guarded(watcher, () -> turn.set(turn(watcher)));
    if (turn.get() == Turn.AGAIN || watcher.turns().addAndGet(-asked) != 0) {
      execute(watcher);
    }
  }

  private Turn turn(Watcher watcher) {
    List<Changes> next = List.of();
    mutex.lock();
    try {
      if (watcher.isLive() || watcher.isClosed()) {
        return Turn.ENOUGH;
      }
      if (live == 0) {
        passWithoutListeners();
      }
      if (watcher.next() > passed) {
        join(watcher);
        return Turn.ENOUGH;
      }
      recentLock.lock();
      try {
        if (recent.reaches(watcher.next())) {
          next = recent.between(watcher.next(), passed, BATCH);
        }
      } finally {
        recentLock.unlock();
      }
    } finally {
      mutex.unlock();
    }
    Optional<SteleException> objection = watcher.objection();
    if (objection.isPresent()) {
      fail(watcher, objection.get());
      return Turn.ENOUGH;
    }
    if (!watcher.sink().isReady()) {
      return Turn.ENOUGH;
    }
    return tellAll(watcher, next.isEmpty() ? fromHistory(watcher) : next);
  }

  private void join(Watcher watcher) {
    index.add(watcher);
    live++;
    watcher.setLive(true);
    waiting.add(watcher);
    attend();
  }

  private void leave(Watcher watcher) {
    waiting.remove(watcher);
    if (watcher.isLive()) {
      index.remove(watcher);
      live--;
      anyLive = live > 0;
      watcher.setLive(false);
    }
  }

  /** Nobody was live, so the fan-out was not woken: all that has happened is behind it. */
  private void passWithoutListeners() {
    anyLive = true;
    recentLock.lock();
    try {
      passed = Math.max(passed, newest);
    } finally {
      recentLock.unlock();
    }
  }

  private List<Changes> fromHistory(Watcher watcher) {
    List<Changes> next =
        history.changes(
            watcher.request().range(),
            watcher.next(),
            (int) settings.chunk().bytes(),
            watcher.request().previous());
    // Asked after the reading: what was compacted away meanwhile may be missing in the answer.
    long oldest = history.oldest();
    if (watcher.next() < oldest) {
      remove(watcher);
      watcher.sink().compacted(oldest);
      return List.of();
    }
    if (next.isEmpty() || next.getFirst().revision() != watcher.next()) {
      throw new UnavailableException(
          "the changes of revision " + watcher.next() + " cannot be found at the moment");
    }
    return next;
  }

  private Turn tellAll(Watcher watcher, List<Changes> all) {
    long room = watcher.sink().joinsPast() ? settings.chunk().bytes() : 0;
    List<KeyEvent> events = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < all.size() && !watcher.isClosed(); i++) {
      Changes changes = all.get(i);
      for (KeyEvent event : eventsFor(watcher, changes)) {
        events.add(event);
        bytes += 32L + event.now().key().length() + event.now().value().length();
      }
      if (bytes < room && i + 1 < all.size()) {
        continue; // the next revision comes with it
      }
      if (!events.isEmpty() && !tell(watcher, changes.revision(), events)) {
        return Turn.ENOUGH;
      }
      watcher.setNext(changes.revision() + 1);
      watcher.setCovered(changes.revision());
      events = new ArrayList<>();
      bytes = 0;
    }
    return watcher.isClosed() ? Turn.ENOUGH : Turn.AGAIN;
  }

  // ---- both

  private static List<KeyEvent> eventsFor(Watcher watcher, Changes changes) {
    KeyRange range = watcher.request().range();
    List<KeyEvent> events = new ArrayList<>();
    for (KeyEvent event : changes.events()) {
      if (range.contains(event.now().key())) {
        events.add(watcher.request().previous() ? event : withoutBefore(event));
      }
    }
    return events;
  }

  private static KeyEvent withoutBefore(KeyEvent event) {
    return event.before().isEmpty()
        ? event
        : new KeyEvent(event.deleted(), event.now(), Optional.empty());
  }

  /** Returns false if the sink is not ready. */
  private static boolean tell(Watcher watcher, long revision, List<KeyEvent> events) {
    if (!watcher.sink().isReady()) {
      return false;
    }
    watcher.sink().events(revision, events);
    return true;
  }

  /** Whatever goes wrong with one watcher ends that one, and touches no other. */
  private void guarded(Watcher watcher, Runnable action) {
    try {
      action.run();
    } catch (SteleException e) {
      fail(watcher, e);
    } catch (RuntimeException e) {
      fail(watcher, new UnavailableException("the watch failed: " + e, e));
    }
  }

  private void fail(Watcher watcher, SteleException problem) {
    if (!watcher.isClosed()) {
      remove(watcher);
      try {
        watcher.sink().failed(problem);
      } catch (RuntimeException e) {
        // A sink that cannot even be told of its end: it is out of the hub, which is what counts.
        watcher.markClosed();
      }
    }
  }

  /** Ends all watches with {@code Unavailable}. */
  @Override
  public void close() {
    List<Watcher> left;
    mutex.lock();
    try {
      recentLock.lock();
      try {
        if (closing) {
          return;
        }
        closing = true;
        wanted.signal();
      } finally {
        recentLock.unlock();
      }
      left = List.copyOf(watchers);
    } finally {
      mutex.unlock();
    }
    catchUp.shutdownNow();
    try {
      fanOut.join();
      catchUp.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    SteleException closed = closedHere();
    left.forEach(watcher -> fail(watcher, closed));
  }
}
