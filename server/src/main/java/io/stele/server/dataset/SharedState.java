package io.stele.server.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Event;
import io.stele.base.event.Subscription;
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
 *   /stele/datasets/CLUSTER/v1/partitions/DATASET/VERSION/SHARD@ADDRESS       gone with its session
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
  private final Map<String, Integer> wanted = new HashMap<>(); // how often each is published
  private final Set<String> unwanted = new HashSet<>(); // to be deleted
  private boolean changed; // there is something to do
  private boolean over; // this session must end
  private boolean closing;

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
  public Subscription publish(String key) {
    String full = VERSION + key;
    change(
        () -> {
          wanted.merge(full, 1, Integer::sum);
          unwanted.remove(full);
        });
    boolean[] closed = new boolean[1];
    return () ->
        change(
            () -> {
              if (!closed[0] && wanted.merge(full, -1, Integer::sum) == 0) {
                wanted.remove(full);
                unwanted.add(full);
              }
              closed[0] = true;
            });
  }

  @Override
  public Children watch(String directory, Runnable told) {
    String full = VERSION + directory;
    Runnable end = mirror.listen(full, told);
    return new Children() {
      @Override
      public Optional<Set<String>> names() {
        return mirror.children(full).map(Map::keySet);
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
      Set<String> published = new HashSet<>();
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
  private void bringUpToDate(Session session, Set<String> published) {
    List<String> missing = new ArrayList<>();
    List<String> superfluous;
    lock.lock();
    try {
      changed = false;
      for (String key : wanted.keySet()) {
        // Also what was published and is gone: somebody wiped the directory.
        if (!published.contains(key) || !mirror.has(key)) {
          missing.add(key);
        }
      }
      superfluous = List.copyOf(unwanted);
    } finally {
      lock.unlock();
    }
    for (int from = 0; from < missing.size(); from += PUBLISHED_AT_ONCE) {
      List<String> some = missing.subList(from, Math.min(missing.size(), from + PUBLISHED_AT_ONCE));
      List<CompletableFuture<?>> puts = new ArrayList<>();
      some.forEach(key -> puts.add(session.putAsync(root + key, Bytes.EMPTY)));
      puts.forEach(SharedState::finish);
      published.addAll(some);
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
      changed = true;
      something.signalAll();
    } finally {
      lock.unlock();
    }
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
