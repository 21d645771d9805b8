package io.stele.bench.metastore;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.AsyncMetastoreClient;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.InteractiveTransaction;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.StepResult;
import io.stele.client.metastore.Transaction;
import io.stele.client.metastore.TransactionResult;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.WatchOptions;
import io.stele.client.metastore.Watcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * One connection to Stele, by its Java client as applications use it: changes are numbered so that
 * they can be sent again, requests have deadlines. Interactive transactions, which wait, run on
 * virtual threads.
 */
final class SteleConnection implements Connection {
  /** Conflicts are counted here; none is to be given up for. */
  private static final int TRANSACTION_ATTEMPTS = 1_000;

  /** A busy machine is no reason to ask twice. */
  private static final Duration ATTEMPT_PATIENCE = Duration.ofSeconds(25);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Stele stele;
  private final MetastoreClient metastore;
  private final AsyncMetastoreClient async;
  private final LongAdder conflicts = new LongAdder();
  private final ExecutorService transactions = Executors.newVirtualThreadPerTaskExecutor();

  private SteleConnection(Stele stele) {
    this.stele = stele;
    this.metastore = stele.metastore();
    this.async = metastore.async();
  }

  /** Connects to the first of some servers, and to the others if need be. */
  static SteleConnection connect(List<String> addresses) {
    ClientSettings settings =
        ClientSettings.DEFAULTS
            .withCalls(
                CallSettings.DEFAULTS.withTimeout(PATIENCE).withAttemptTimeout(ATTEMPT_PATIENCE))
            .withTransactionAttempts(TRANSACTION_ATTEMPTS);
    return new SteleConnection(Stele.builder().endpoints(addresses).settings(settings).connect());
  }

  @Override
  public CompletableFuture<?> put(KeySet keys, long number, long edition) {
    return async.put(name(keys, number), value(keys, number, edition));
  }

  @Override
  public CompletableFuture<?> get(KeySet keys, long number) {
    return async
        .get(name(keys, number))
        .thenAccept(found -> check(keys, number, found.stream().toList()));
  }

  @Override
  public CompletableFuture<?> range(KeySet keys, long first, int count) {
    Keys range = Keys.between(name(keys, first), new String(keys.end(), ISO_8859_1));
    return async
        .page(range, ReadOptions.DEFAULTS.limit(count))
        .thenAccept(
            page -> {
              keys.checkCount(first, count, page.keys().size());
              for (int i = 0; i < count; i++) {
                check(keys, first + i, page.keys().get(i));
              }
            });
  }

  @Override
  public CompletableFuture<?> transact(KeySet keys, long one, long other, long edition) {
    return CompletableFuture.runAsync(
        () -> {
          long[] attempts = {0};
          metastore.transact(
              transaction -> {
                attempts[0]++;
                check(keys, one, transaction.get(name(keys, one)).stream().toList());
                check(keys, other, transaction.get(name(keys, other)).stream().toList());
                write(transaction, keys, one, edition);
                write(transaction, keys, other, edition);
                return edition;
              });
          conflicts.add(attempts[0] - 1);
        },
        transactions);
  }

  private static void write(
      InteractiveTransaction transaction, KeySet keys, long number, long edition) {
    transaction.put(name(keys, number), value(keys, number, edition));
  }

  @Override
  public CompletableFuture<?> transactAtOnce(KeySet keys, long one, long other, long edition) {
    String first = name(keys, one);
    String second = name(keys, other);
    return async
        .transaction()
        .when(first)
        .exists()
        .when(second)
        .exists()
        .then(
            Step.get(first),
            Step.get(second),
            Step.put(first, value(keys, one, edition)),
            Step.put(second, value(keys, other, edition)))
        .commitAsync()
        .thenAccept(
            result -> {
              check(keys, one, found(result, 0));
              check(keys, other, found(result, 1));
            });
  }

  private static List<KeyValue> found(TransactionResult result, int step) {
    if (result.succeeded() && result.results().get(step) instanceof StepResult.Found read) {
      return read.keys();
    }
    throw new WrongAnswerException("a transaction on keys that exist was refused: " + result);
  }

  @Override
  public CompletableFuture<?> load(KeySet keys, long first, int count) {
    Transaction transaction = async.transaction();
    for (int i = 0; i < count; i++) {
      transaction.then(Step.put(name(keys, first + i), value(keys, first + i, 0)));
    }
    return transaction.commitAsync();
  }

  @Override
  public CompletableFuture<Watches> watch(
      KeySet keys, int firstWatcher, int count, EventSink sink) {
    List<Watcher> watchers = new ArrayList<>();
    for (int number = firstWatcher; number < firstWatcher + count; number++) {
      watchers.add(
          async.watch(
              Keys.below(keys.directory()),
              WatchOptions.DEFAULTS,
              new Listener(keys, number, sink)));
    }
    return CompletableFuture.allOf(
            watchers.stream().map(Watcher::started).toArray(CompletableFuture[]::new))
        .thenApply(_ -> () -> watchers.forEach(Watcher::close));
  }

  private record Listener(KeySet keys, int watcher, EventSink sink) implements WatchListener {
    @Override
    public void changed(long revision, List<KeyEvent> events) {
      for (KeyEvent event : events) {
        try {
          long number = keys.number(event.now().key().getBytes(ISO_8859_1));
          sink.put(watcher, keys.edition(number, event.now().value().sharedArray()));
        } catch (WrongAnswerException e) {
          sink.failed(watcher, e);
        }
      }
    }

    @Override
    public void compacted(long oldest) {
      sink.failed(watcher, new WrongAnswerException("nothing was compacted, up to " + oldest));
    }

    @Override
    public void failed(SteleException problem) {
      sink.failed(watcher, problem);
    }
  }

  @Override
  public CompletableFuture<?> compact(KeySet keys) {
    return async
        .page(Keys.of(name(keys, 0)), ReadOptions.DEFAULTS)
        .thenAcceptAsync(page -> metastore.admin().compact(page.revision()), transactions);
  }

  @Override
  public long conflicts() {
    return conflicts.sum();
  }

  @Override
  public void close() {
    transactions.shutdownNow();
    stele.close();
  }

  private static void check(KeySet keys, long number, List<KeyValue> found) {
    keys.checkCount(number, 1, found.size());
    check(keys, number, found.getFirst());
  }

  private static void check(KeySet keys, long number, KeyValue found) {
    keys.check(number, found.key().getBytes(ISO_8859_1), found.value().sharedArray());
  }

  private static String name(KeySet keys, long number) {
    return new String(keys.key(number), ISO_8859_1);
  }

  private static Bytes value(KeySet keys, long number, long edition) {
    return Bytes.wrap(keys.value(number, edition));
  }
}
