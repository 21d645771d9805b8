package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoints;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The metastore: a small, strongly consistent store for metadata and locks. Keys are absolute
 * paths.
 *
 * <pre>{@code
 * try (var stele = Stele.connect("127.0.0.1:7835")) {
 *   MetastoreClient metastore = stele.metastore();
 *   metastore.put("/config/mode", "fast");
 *   String mode = metastore.get("/config/mode").map(KeyValue::text).orElse("slow");
 * }
 * }</pre>
 *
 * <p>Calls wait for their answer and fail with a {@code SteleException}; {@link #async} has the
 * same without waiting. A change whose answer is lost is sent again and done once; where that
 * cannot be had the error is {@code OutcomeUnknownException}. Any number of threads may share a
 * client.
 */
public final class MetastoreClient implements AutoCloseable {
  private static final Duration FIRST_CONFLICT_PAUSE = Duration.ofMillis(4);
  private static final Duration LONGEST_CONFLICT_PAUSE = Duration.ofMillis(500);

  private final ScheduledExecutorService timer;
  private final Endpoints endpoints;
  private final AsyncMetastoreClient async;
  private final MetastoreAdmin admin;

  /** A client of these servers; {@code Stele.connect} is the usual way. */
  public MetastoreClient(List<String> addresses, ClientSettings settings) {
    this(addresses, settings, Clock.system(), RandomSource.system());
  }

  MetastoreClient(
      List<String> addresses, ClientSettings settings, Clock clock, RandomGenerator random) {
    this.endpoints = new Endpoints(addresses, settings.calls());
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("stele-client-timer").factory());
    Caller caller = new Caller(endpoints, settings.calls(), clock, random, timer);
    this.async = new AsyncMetastoreClient(caller, random, settings);
    this.admin = new MetastoreAdmin(async);
  }

  public AsyncMetastoreClient async() {
    return async;
  }

  /** Members, rights, history, backups. */
  public MetastoreAdmin admin() {
    return admin;
  }

  // ---- reading

  public Optional<KeyValue> get(String key) {
    return Await.answer(async.get(key));
  }

  public Optional<KeyValue> get(String key, ReadOptions options) {
    return Await.answer(async.get(key, options));
  }

  /** The keys of a range, in order, as they were at one moment; fetched page by page. */
  public Iterable<KeyValue> range(Keys keys) {
    return range(keys, ReadOptions.DEFAULTS);
  }

  public Iterable<KeyValue> range(Keys keys, ReadOptions options) {
    return Scan.each(() -> new RangePages(keys, options));
  }

  public long count(Keys keys) {
    return Await.answer(async.count(keys, ReadOptions.DEFAULTS));
  }

  /** The names in a directory, in order; fetched page by page. */
  public Iterable<DirectoryEntry> list(String directory) {
    return list(directory, Consistency.LINEARIZABLE);
  }

  public Iterable<DirectoryEntry> list(String directory, Consistency consistency) {
    return Scan.each(() -> new ListPages(directory, consistency));
  }

  private final class RangePages implements Scan.Pages<KeyValue> {
    private Keys rest;
    private ReadOptions options;
    private int left;

    RangePages(Keys keys, ReadOptions options) {
      this.rest = keys;
      this.options = options;
      this.left = options.limit();
    }

    @Override
    public boolean fetch(Queue<KeyValue> into) {
      KeyPage page = Await.answer(async.page(rest, options.limit(left)));
      into.addAll(page.keys());
      if (!page.more() || page.keys().isEmpty()) {
        return false;
      }
      rest = rest.after(Bytes.utf8(page.keys().getLast().key()));
      if (options.revision() == 0) {
        options = options.at(page.revision()); // the pages behind are of the same moment
      }
      if (options.limit() == 0) {
        return true;
      }
      left -= page.keys().size();
      return left > 0;
    }
  }

  private final class ListPages implements Scan.Pages<DirectoryEntry> {
    private final String directory;
    private final Consistency consistency;
    private String after = "";

    ListPages(String directory, Consistency consistency) {
      this.directory = directory;
      this.consistency = consistency;
    }

    @Override
    public boolean fetch(Queue<DirectoryEntry> into) {
      List<DirectoryEntry> page = Await.answer(async.list(directory, after, 0, consistency));
      into.addAll(page);
      if (page.isEmpty()) {
        return false;
      }
      after = page.getLast().name();
      return true;
    }
  }

  // ---- writing

  public PutResult put(String key, String value) {
    return Await.answer(async.put(key, value));
  }

  public PutResult put(String key, Bytes value) {
    return Await.answer(async.put(key, value));
  }

  /** As {@link #put(String, Bytes)}, and answers what was there before. */
  public PutResult replace(String key, Bytes value) {
    return Await.answer(async.replace(key, value));
  }

  public DeleteResult delete(String key) {
    return Await.answer(async.delete(key));
  }

  public DeleteResult delete(Keys keys) {
    return Await.answer(async.delete(keys, false));
  }

  /** Begins a transaction in one request. */
  public Transaction transaction() {
    return async.transaction();
  }

  /**
   * Reads, thinks and writes as one step: what the work does is committed when it returns, and only
   * if nothing that it read has changed meanwhile. If something has, the work is done anew, a
   * bounded number of times: it must have no other effects.
   *
   * <pre>{@code
   * long before = metastore.transact(tx -> {
   *   long seen = tx.get("/counter").map(found -> Long.parseLong(found.text())).orElse(0L);
   *   tx.put("/counter", Long.toString(seen + 1));
   *   return seen;
   * });
   * }</pre>
   */
  public <T> T transact(Function<InteractiveTransaction, T> work) {
    int most = async.settings().transactionAttempts();
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(work);
      } catch (ConflictException e) {
        if (attempt == most) {
          throw new ConflictException(
              "transaction: conflicted in each of "
                  + most
                  + " attempts; the last said: "
                  + e.getMessage(),
              e);
        }
        Await.answer(
            async
                .caller()
                .pause(
                    async
                        .caller()
                        .pauseNanos(attempt, FIRST_CONFLICT_PAUSE, LONGEST_CONFLICT_PAUSE)));
      }
    }
  }

  private <T> T attempt(Function<InteractiveTransaction, T> work) {
    InteractiveTransaction transaction =
        new InteractiveTransaction(async.caller(), async::write, Await.answer(async.ownSession()));
    T result;
    try {
      result = work.apply(transaction);
    } catch (RuntimeException | Error e) {
      transaction.abort();
      throw e;
    }
    transaction.commit();
    return result;
  }

  // ---- sessions and locks

  /** Opens a session, which is kept alive until it is closed. */
  public Session openSession(Duration timeToLive) {
    return Await.answer(async.openSession(timeToLive));
  }

  public Session openSession(Duration timeToLive, String label) {
    return Await.answer(async.openSession(timeToLive, label));
  }

  public LockState lockState(String key) {
    return Await.answer(async.lockState(key));
  }

  // ---- watches

  /** Tells all changes of these keys from now on, until it is closed. */
  public Watcher watch(Keys keys, WatchListener listener) {
    return watch(keys, WatchOptions.DEFAULTS, listener);
  }

  public Watcher watch(Keys keys, WatchOptions options, WatchListener listener) {
    return async.watch(keys, options, listener);
  }

  /**
   * Tells what a key is, and what it becomes, such as who leads in an {@link Election}: the newest
   * value, and then each one that follows. What lies too far back is left out.
   */
  public Observation observe(String key, Consumer<Optional<KeyValue>> observer) {
    return new Observation(async, key, observer).start();
  }

  @Override
  public void close() {
    try {
      Await.answer(async.closeOwnSession());
    } catch (SteleException e) {
      // It ends by itself after its time.
    } finally {
      timer.shutdownNow();
      endpoints.close();
    }
  }
}
