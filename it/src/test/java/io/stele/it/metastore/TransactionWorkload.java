package io.stele.it.metastore;

import io.stele.base.error.ConflictException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.client.metastore.InteractiveTransaction;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.StepResult;
import io.stele.client.metastore.TransactionResult;
import io.stele.testkit.history.Change;
import io.stele.testkit.history.KeyRange;
import io.stele.testkit.history.Operation;
import io.stele.testkit.history.Outcome;
import io.stele.testkit.history.Read;
import io.stele.testkit.history.RevisionHistory;
import io.stele.testkit.history.RevisionReplayChecker;
import io.stele.testkit.history.Transaction;
import io.stele.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Interactive and one-shot transactions, below one directory: transfers between accounts whose sum
 * stays, pairs of switches of which one stays on, seats of which no more are taken than there are,
 * counters. Each breaks a promise of its own if transactions are not serializable; the replay finds
 * all of it. Values end with a number of their own.
 */
final class TransactionWorkload {
  static final String DIRECTORY = "/transactions/";

  private static final int ACCOUNTS = 8;
  private static final int BALANCE = 100;
  private static final int PAIRS = 4;
  private static final int SEATS = 5;
  private static final int COUNTERS = 4;

  private final Clock clock = Clock.system();
  private final Queue<Operation<Transaction, Long>> history = new ConcurrentLinkedQueue<>();
  private final Queue<String> broken = new ConcurrentLinkedQueue<>();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong conflicts = new AtomicLong();
  private final Workers workers;

  TransactionWorkload(long seed) {
    this.workers = new Workers("transactions", seed);
  }

  Workers workers() {
    return workers;
  }

  /** Opens the accounts, and turns the switches on. */
  void prepare(MetastoreClient client) throws InterruptedException {
    attempt(
        "preparation",
        client,
        tx -> {
          for (int i = 0; i < ACCOUNTS; i++) {
            tx.put(DIRECTORY + "accounts/" + i, BALANCE);
          }
          for (int i = 0; i < PAIRS; i++) {
            tx.put(DIRECTORY + "pairs/" + i + "/left", 1);
            tx.put(DIRECTORY + "pairs/" + i + "/right", 1);
          }
        });
    if (workers.answers() != 1) {
      throw new AssertionError("the accounts were not opened");
    }
  }

  void start(String name, MetastoreClient client) {
    workers.start(random -> step(name, client, random));
  }

  private void step(String name, MetastoreClient client, RandomGenerator random)
      throws InterruptedException {
    switch (random.nextInt(6)) {
      case 0 -> attempt(name, client, tx -> transfer(tx, random));
      case 1 -> attempt(name, client, tx -> flip(tx, random));
      case 2 -> attempt(name, client, tx -> takeSeat(tx, random));
      case 3 -> attempt(name, client, tx -> count(tx, random));
      case 4 -> attempt(name, client, tx -> tx.below(DIRECTORY));
      default -> exchange(name, client, random);
    }
    workers.pause(Workers.PACE);
  }

  // ---- what is done in a transaction

  private void transfer(Recorded tx, RandomGenerator random) {
    List<Long> balances = tx.below(DIRECTORY + "accounts/").stream().map(Amount::of).toList();
    long sum = balances.stream().mapToLong(Long::longValue).sum();
    if (sum != ACCOUNTS * BALANCE) {
      broken.add("accounts hold " + balances + ": " + sum + " together");
    }
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    long amount = random.nextInt(1, 20);
    if (balances.size() == ACCOUNTS && balances.get(from) >= amount) {
      tx.put(DIRECTORY + "accounts/" + from, balances.get(from) - amount);
      tx.put(DIRECTORY + "accounts/" + to, balances.get(to) + amount);
    }
  }

  /** Turns a switch off only if the other one is on: of each pair one is on. */
  private void flip(Recorded tx, RandomGenerator random) {
    String pair = DIRECTORY + "pairs/" + random.nextInt(PAIRS) + "/";
    boolean left = random.nextBoolean();
    long own = tx.get(pair + (left ? "left" : "right"));
    long other = tx.get(pair + (left ? "right" : "left"));
    if (own == 0 && other == 0) {
      broken.add("of " + pair + " both are off");
    }
    if (own == 0) {
      tx.put(pair + (left ? "left" : "right"), 1);
    } else if (other == 1) {
      tx.put(pair + (left ? "left" : "right"), 0);
    }
  }

  /** Takes a seat that nobody has named before, if one is left; else gives one free. */
  private void takeSeat(Recorded tx, RandomGenerator random) {
    String seats = DIRECTORY + "seats/";
    List<KeyValue> taken = tx.below(seats);
    if (taken.size() > SEATS) {
      broken.add(taken.size() + " seats are taken, of " + SEATS);
    }
    if (taken.size() < SEATS) {
      tx.put(seats + numbers.incrementAndGet(), 1);
    } else {
      tx.delete(taken.get(random.nextInt(taken.size())).key());
    }
  }

  private void count(Recorded tx, RandomGenerator random) {
    String counter = DIRECTORY + "counters/" + random.nextInt(COUNTERS);
    tx.put(counter, tx.get(counter) + 1);
  }

  // ---- interactive ones

  private void attempt(String name, MetastoreClient client, Consumer<Recorded> work)
      throws InterruptedException {
    long invoked = clock.nanos();
    List<Recorded> begun = new ArrayList<>();
    try {
      client.transact(
          tx -> {
            Recorded recorded = new Recorded(tx);
            begun.add(recorded);
            work.accept(recorded);
            return recorded;
          });
      Recorded done = begun.getLast();
      add(name, done.transaction(), invoked, new Outcome.Returned<>(done.tx.revision(), now()));
      workers.answered();
    } catch (OutcomeUnknownException e) {
      begun.forEach(lost -> add(name, lost.transaction(), invoked, new Outcome.Unknown<>()));
    } catch (ConflictException e) {
      conflicts.incrementAndGet();
    } catch (SteleException e) {
      workers.refused();
    }
    // What it saw was the state of one moment, whatever became of it.
    for (Recorded seen : begun) {
      if (seen.tx.readRevision() > 0 && !seen.reads.isEmpty()) {
        Transaction reading = Transaction.of(seen.reads, List.of());
        add(name, reading, invoked, new Outcome.Returned<>(seen.tx.readRevision(), now()));
      }
    }
  }

  /** A transaction, with what it read of the store and what it writes. */
  private final class Recorded {
    private final InteractiveTransaction tx;
    private final List<Read> reads = new ArrayList<>();
    private final List<Change> writes = new ArrayList<>();

    Recorded(InteractiveTransaction tx) {
      this.tx = tx;
    }

    /** The number of a key; 0 if it is absent. */
    long get(String key) {
      Optional<KeyValue> found = tx.get(key);
      reads.add(new Read.OfKey(key, found.map(KeyValue::text)));
      return found.map(Amount::of).orElse(0L);
    }

    List<KeyValue> below(String directory) {
      List<KeyValue> found = tx.range(Keys.below(directory));
      reads.add(ofRange(directory, found));
      return found;
    }

    void put(String key, long number) {
      String value = number + "#" + numbers.incrementAndGet();
      tx.put(key, value);
      writes.add(Change.put(key, value));
    }

    void delete(String key) {
      tx.delete(key);
      writes.add(Change.delete(key));
    }

    Transaction transaction() {
      return Transaction.of(reads, writes);
    }
  }

  /** What stands before the number of its own in a value. */
  private static final class Amount {
    static long of(KeyValue found) {
      String text = found.text();
      return Long.parseLong(text.substring(0, text.indexOf('#')));
    }
  }

  private static Read ofRange(String directory, List<KeyValue> found) {
    String end = directory.substring(0, directory.length() - 1) + (char) ('/' + 1);
    return new Read.OfRange(
        KeyRange.of(directory, end),
        found.stream().map(key -> Change.put(key.key(), key.text())).toList());
  }

  // ---- in one request

  /** Counts by a comparison, in one request, with a look at the seats. */
  private void exchange(String name, MetastoreClient client, RandomGenerator random)
      throws InterruptedException {
    String counter = DIRECTORY + "counters/" + random.nextInt(COUNTERS);
    String seats = DIRECTORY + "seats/";
    try {
      Optional<KeyValue> seen = client.get(counter);
      String value = (seen.map(Amount::of).orElse(0L) + 1) + "#" + numbers.incrementAndGet();
      long invoked = clock.nanos();
      var conditional = client.transaction();
      if (seen.isPresent()) {
        conditional.when(counter).value().isEqualTo(seen.get().value());
      } else {
        conditional.when(counter).isAbsent();
      }
      conditional.then(Step.get(Keys.below(seats)), Step.put(counter, value));
      conditional.otherwise(Step.get(counter), Step.get(Keys.below(seats)));
      Read compared = new Read.OfKey(counter, seen.map(KeyValue::text));
      try {
        TransactionResult result = conditional.commit();
        Transaction done =
            result.succeeded()
                ? Transaction.of(
                    List.of(compared, ofRange(seats, found(result, 0))),
                    List.of(Change.put(counter, value)))
                : Transaction.reading(
                    new Read.OfKey(
                        counter, found(result, 0).stream().findFirst().map(KeyValue::text)),
                    ofRange(seats, found(result, 1)));
        add(name, done, invoked, new Outcome.Returned<>(result.revision(), now()));
        workers.answered();
      } catch (OutcomeUnknownException e) {
        Transaction lost = Transaction.of(List.of(compared), List.of(Change.put(counter, value)));
        add(name, lost, invoked, new Outcome.Unknown<>());
      }
    } catch (SteleException e) {
      workers.refused();
    }
  }

  private static List<KeyValue> found(TransactionResult result, int step) {
    return ((StepResult.Found) result.results().get(step)).keys();
  }

  private long now() {
    return clock.nanos();
  }

  private void add(String name, Transaction call, long invoked, Outcome<Long> outcome) {
    history.add(new Operation<>(name, call, invoked, outcome));
  }

  // ---- afterwards

  Verdict check(RevisionHistory store) {
    if (!broken.isEmpty()) {
      throw new AssertionError(broken.size() + " broken promises, first: " + broken.peek());
    }
    return new RevisionReplayChecker().check(List.copyOf(history), store);
  }

  @Override
  public String toString() {
    return workers + ", " + conflicts + " conflicts";
  }
}
