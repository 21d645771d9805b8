package io.stele.server.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Event;
import io.stele.base.time.Clock;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.KeyPage;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.client.metastore.Session;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.WatchOptions;
import io.stele.client.metastore.Watcher;
import io.stele.datasets.serve.Pins;
import io.stele.datasets.serve.SharedMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What nodes of datasets know of each other, in the metastore:
 *
 * <pre>
 *   /stele/datasets/CLUSTER/v1/nodes/ADDRESS                                  gone with its session
 *   /stele/datasets/CLUSTER/v1/partitions/DATASET/VERSION/bFIRST@ADDRESS      gone with its session; which
 *                                                                             of 1,024 shards it has
 *   /stele/datasets/CLUSTER/v1/sessions/MARK                                  gone with its session
 *   /stele/datasets/CLUSTER/pins/DATASET                                      {@link SharedPins}; stays
 * </pre>
 *
 * <p>All that is read comes from a {@link Mirror}. One thread keeps a session, publishes under it
 * what is to be published and follows what others do; when it loses the session, or the metastore,
 * it begins anew:
 *
 * <pre>
 *   open a session ──► list and watch ──► publish what is missing ◄──► wait for something to do
 *         ▲                                                                │
 *         └──────── a pause ◄──────── session lost, or anything failed ────┘
 * </pre>
 *
 * <p>A metastore that was wiped may give numbers of sessions anew, so that a session that it has
 * forgotten seems to live on as another's. That is why each looks for a mark of its own, and why a
 * session that was forgotten is never spoken of again: it ends with the client that it was opened
 * by.
 *
 * <p>A lookup waits for none of this, and goes on with what was last known.
 */
public final class SharedState implements SharedMap, AutoCloseable {
  private static final String VERSION = "v1/";
  private static final String PARTITIONS = VERSION + "partitions/";
  private static final int PAGE = 1_000;
  private static final int PUBLISHED_AT_ONCE = 64;
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration LINGER = Duration.ofSeconds(2);
  private static final int SESSIONS_OF_GRACE = 3;
  private static final Duration LEAVE_PATIENCE = Duration.ofSeconds(3);

  private final Supplier<MetastoreClient> clients;
  private final MetastoreClient metastore; // for all but sessions
  private final String cluster;
  private final String root;
  private final String label;
  private final Duration timeToLive;
  private final Clock clock;
  private final Consumer<Event> events;
  private final Mirror mirror = new Mirror(PARTITIONS, LINGER.toNanos());
  private final SharedPins pins;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition something = lock.newCondition();

  // Guarded by lock.
  private final Map<String, Wanted> wanted = new HashMap<>();
  private final Set<String> unwanted = new HashSet<>(); // to be deleted
  private boolean changed; // there is something to do
  private boolean over; // this session must end
  private boolean closing;

  /** A key that is to be there, as long as somebody publishes it. */
  private static final class Wanted {
    int times;
    String value = "";
  }

  /**
   * Begins to take part.
   *
   * @param clients makes clients that do not number what they ask: see {@code deduplicate}
   * @param label what the session is called, for people
   */
  public SharedState(
      Supplier<MetastoreClient> clients,
      String cluster,
      String label,
      Duration timeToLive,
      Clock clock,
      Consumer<Event> events) {
    this.clients = clients;
    this.metastore = clients.get();
    this.cluster = cluster;
    this.root = "/stele/datasets/" + cluster + "/";
    this.label = label;
    this.timeToLive = timeToLive;
    this.clock = clock;
    this.events = events;
    this.pins = new SharedPins(metastore, mirror, root);
    this.thread = Thread.ofPlatform().daemon().name("stele-dataset-map").start(this::run);
  }

  // ---- what nodes ask

  @Override
  public Published publish(String key, String value) {
    String full = VERSION + key;
    lock.lock();
    try {
      Wanted one = wanted.computeIfAbsent(full, _ -> new Wanted());
      one.times++;
      one.value = value;
      unwanted.remove(full);
      wake();
      return new Entry(full, one);
    } finally {
      lock.unlock();
    }
  }

  private final class Entry implements Published {
    private final String key;
    private final Wanted one;
    private boolean closed; // guarded by lock

    Entry(String key, Wanted one) {
      this.key = key;
      this.one = one;
    }

    @Override
    public void set(String value) {
      change(() -> one.value = value);
    }

    @Override
    public void close() {
      change(
          () -> {
            if (!closed && --one.times == 0) {
              wanted.remove(key);
              unwanted.add(key);
            }
            closed = true;
          });
    }
  }

  @Override
  public Children watch(String directory, Runnable told) {
    String full = VERSION + directory;
    Runnable end = mirror.listen(full, told);
    return new Children() {
      @Override
      public Optional<Map<String, String>> entries() {
        return mirror.children(full);
      }

      @Override
      public void close() {
        end.run();
      }
    };
  }

  /** The pins of the cluster. */
  public Pins pins() {
    return pins;
  }

  // ---- the thread

  private void run() {
    boolean told = false;
    while (!isClosing()) {
      try {
        takePart();
        told = false;
      } catch (SteleException e) {
        if (!told && !isClosing()) {
          events.accept(new SharedEvent.Apart(cluster, String.valueOf(e.getMessage())));
          told = true;
        }
        await(PAUSE.toNanos(), true);
      }
      mirror.pass(clock.nanos());
    }
  }

  /** As long as a session lives. */
  private void takePart() {
    lock.lock();
    try {
      over = false;
      changed = true;
    } finally {
      lock.unlock();
    }
    try (MetastoreClient own = clients.get()) {
      takePart(own.openSession(timeToLive, label));
    }
  }

  private void takePart(Session session) {
    String mark = root + VERSION + "sessions/" + clock.micros() + "-" + session.id();
    boolean known = true;
    Watcher watcher = null;
    try {
      var _ = session.put(mark, Bytes.EMPTY);
      session.onExpiry(this::endSession);
      watcher = follow();
      events.accept(new SharedEvent.Joined(cluster));
      Map<String, String> published = new HashMap<>();
      while (known && !isOver() && session.isAlive()) {
        bringUpToDate(session, published);
        await(LOOK.toNanos(), false);
        mirror.pass(clock.nanos());
        known = isKnown(mark);
      }
      if (!isClosing()) {
        events.accept(new SharedEvent.Apart(cluster, "its session in the metastore is lost"));
      }
    } finally {
      if (watcher != null) {
        watcher.close();
      }
      if (known) {
        leave(session);
      }
    }
  }

  private boolean isKnown(String mark) {
    try {
      return metastore.get(mark).isPresent();
    } catch (SteleException e) {
      return true; // nobody could say
    }
  }

  /** A session that cannot be closed ends by itself. */
  private static void leave(Session session) {
    try {
      session.close();
    } catch (SteleException e) {
      // After its time to live.
    }
  }

  /** Publishes and deletes what is due; what failed is due again. */
  private void bringUpToDate(Session session, Map<String, String> published) {
    Map<String, String> missing = new HashMap<>();
    List<String> superfluous;
    lock.lock();
    try {
      changed = false;
      wanted.forEach(
          (key, one) -> {
            // Also what was published and is gone: somebody wiped the directory.
            if (!one.value.equals(published.get(key)) || !mirror.has(key)) {
              missing.put(key, one.value);
            }
          });
      superfluous = List.copyOf(unwanted);
    } finally {
      lock.unlock();
    }
    List<Map.Entry<String, String>> all = List.copyOf(missing.entrySet());
    for (int from = 0; from < all.size(); from += PUBLISHED_AT_ONCE) {
      var some = all.subList(from, Math.min(all.size(), from + PUBLISHED_AT_ONCE));
      List<CompletableFuture<?>> puts = new ArrayList<>();
      some.forEach(
          entry -> puts.add(session.putAsync(root + entry.getKey(), Bytes.utf8(entry.getValue()))));
      puts.forEach(SharedState::finish);
      some.forEach(entry -> published.put(entry.getKey(), entry.getValue()));
    }
    for (String key : superfluous) {
      var _ = metastore.delete(root + key);
      published.remove(key);
      change(() -> unwanted.remove(key));
    }
  }

  private static void finish(CompletableFuture<?> put) {
    try {
      put.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof SteleException known
          ? known
          : new UnavailableException("not published: " + e.getCause(), e);
    }
  }

  /** Lists all there is, and watches from there. */
  private Watcher follow() {
    Keys keys = Keys.prefix(root);
    Map<String, String> all = new HashMap<>();
    KeyPage page = page(keys, ReadOptions.DEFAULTS.pages(PAGE));
    long revision = page.revision();
    while (true) {
      page.keys().forEach(key -> all.put(relative(key), key.text()));
      if (!page.more() || page.keys().isEmpty()) {
        break;
      }
      String last = page.keys().getLast().key();
      page =
          page(
              Keys.between(last + "\0", root.substring(0, root.length() - 1) + "0"),
              ReadOptions.DEFAULTS.pages(PAGE).at(revision));
    }
    mirror.replace(all, clock.nanos(), SESSIONS_OF_GRACE * timeToLive.toNanos());
    return metastore.async().watch(keys, WatchOptions.DEFAULTS.from(revision + 1), new Following());
  }

  private KeyPage page(Keys keys, ReadOptions options) {
    try {
      return metastore.async().page(keys, options).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof SteleException known
          ? known
          : new UnavailableException("the map cannot be read: " + e.getCause(), e);
    }
  }

  private String relative(KeyValue key) {
    return key.key().substring(root.length());
  }

  private final class Following implements WatchListener {
    @Override
    public void changed(long revision, List<KeyEvent> changes) {
      boolean deleted = false;
      for (KeyEvent change : changes) {
        if (change.deleted()) {
          mirror.delete(relative(change.now()), clock.nanos());
          deleted = true;
        } else {
          mirror.put(relative(change.now()), change.now().text());
        }
      }
      if (deleted) {
        change(() -> {}); // it may have been one of ours
      }
    }

    @Override
    public void compacted(long oldest) {
      endSession();
    }

    @Override
    public void failed(SteleException problem) {
      endSession();
    }
  }

  // ---- between threads

  private void change(Runnable doing) {
    lock.lock();
    try {
      doing.run();
      wake();
    } finally {
      lock.unlock();
    }
  }

  /** With the lock. */
  private void wake() {
    changed = true;
    something.signalAll();
  }

  private void endSession() {
    change(() -> over = true);
  }

  private boolean isOver() {
    lock.lock();
    try {
      return over || closing;
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  /** Until there is something to do, or the time is over. */
  private void await(long nanos, boolean whole) {
    lock.lock();
    try {
      long left = nanos;
      while (left > 0 && !closing && (whole || (!changed && !over))) {
        left = something.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      // Only a close interrupts.
    } finally {
      lock.unlock();
    }
  }

  /** Leaves: what was published is gone at once, if the metastore answers. */
  @Override
  public void close() {
    change(() -> closing = true);
    try {
      if (!thread.join(LEAVE_PATIENCE)) {
        thread.interrupt(); // it waits for a metastore that does not answer
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    metastore.close();
  }
}
