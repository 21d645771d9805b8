package io.stele.bench.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * Does to a store what it is told, one request a line, and answers each with one line (see {@link
 * Sample}):
 *
 * <pre>
 *   create TABLE
 *   drop TABLE
 *   flush TABLE
 *   fill TABLE FIRST COUNT SEED                         inserts so many records, as fast as can be
 *   load TABLE THREADS SECONDS SEED                     inserts new records, one a request
 *   run WORKLOAD TABLE RECORDS THREADS SECONDS SEED     of which so many have been filled in
 *   work WORKLOAD TABLE RECORDS THREADS COUNT SEED      likewise, so many operations
 *   sweep TABLE RECORDS THREADS SECONDS SEED            reads 1,000 rows each time, from any of so many
 *   await TABLE FIRST COUNT PROBES                      until so many of these can be read
 *   verify TABLE FIRST COUNT                            reads them all
 * </pre>
 */
public final class Driver {
  private static final int FILL_BATCH = 100;
  private static final int FILL_THREADS = 4;
  private static final int VERIFY_THREADS = 16;
  private static final int SWEPT_ROWS = 1_000;

  /** What can be asked beyond that. */
  public interface More {
    /** Nothing if it knows no such request. */
    Optional<Sample> answer(String[] words) throws Exception;
  }

  private final Store store;
  private final More more;
  private final Map<String, Long> nextRecord = new HashMap<>(); // by table, after all inserts
  private Zipfian popularity = Zipfian.of(2);

  public Driver(Store store) {
    this(store, words -> Optional.empty());
  }

  private Driver(Store store, More more) {
    this.store = store;
    this.more = more;
  }

  /** Serves this process's standard input until it ends; what others print goes to the errors. */
  public static void serve(Store store) throws Exception {
    serve(store, words -> Optional.empty());
  }

  /** Likewise, and knows more requests. */
  public static void serve(Store store, More more) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    try (store) {
      BufferedReader requests =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      new Driver(store, more).serve(requests, answers);
    }
  }

  void serve(BufferedReader requests, PrintStream answers) throws IOException {
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      String answer;
      try {
        answer = answer(line.split(" ", -1)).line();
      } catch (Exception e) {
        e.printStackTrace();
        answer = Sample.errorLine(e);
      }
      answers.println(answer);
      answers.flush();
    }
  }

  private Sample answer(String[] words) throws Exception {
    String request = words[0];
    if (request.equals("create") && words.length == 2) {
      return once(() -> store.create(words[1], Records.SPLITS));
    } else if (request.equals("drop") && words.length == 2) {
      nextRecord.remove(words[1]);
      return once(() -> store.drop(words[1]));
    } else if (request.equals("flush") && words.length == 2) {
      return once(() -> store.flush(words[1]));
    } else if (request.equals("fill") && words.length == 5) {
      return fill(words[1], number(words[2]), number(words[3]), number(words[4]));
    } else if (request.equals("load") && words.length == 5) {
      return load(words[1], threads(words[2]), Double.parseDouble(words[3]), number(words[4]));
    } else if (request.equals("run") && words.length == 7) {
      Workload workload = Workload.valueOf(words[1]);
      grow(number(words[3]));
      double seconds = Double.parseDouble(words[5]);
      return run(
          workload,
          words[2],
          threads(words[4]),
          threads -> new Crew(threads, seconds),
          new AtomicLong(Long.MAX_VALUE),
          number(words[6]));
    } else if (request.equals("work") && words.length == 7) {
      grow(number(words[3]));
      long count = number(words[5]);
      return run(
          Workload.valueOf(words[1]),
          words[2],
          threads(words[4]),
          threads -> Crew.untilDone(threads, 1),
          new AtomicLong(count),
          number(words[6]));
    } else if (request.equals("sweep") && words.length == 6) {
      double seconds = Double.parseDouble(words[4]);
      return sweep(words[1], number(words[2]), threads(words[3]), seconds, number(words[5]));
    } else if (request.equals("await") && words.length == 5) {
      return await(words[1], number(words[2]), number(words[3]), threads(words[4]));
    } else if (request.equals("verify") && words.length == 4) {
      return verify(words[1], number(words[2]), number(words[3]));
    }
    return more.answer(words)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "request '" + String.join(" ", words) + "': must be one of those of a driver"));
  }

  private static long number(String word) {
    return Long.parseLong(word);
  }

  private static int threads(String word) {
    return Integer.parseInt(word);
  }

  /** Something that is done once and not measured in detail. */
  public interface Step {
    void run() throws Exception;
  }

  public static Sample once(Step step) throws Exception {
    long start = System.nanoTime();
    step.run();
    return Sample.once((System.nanoTime() - start) / 1e9);
  }

  private Sample fill(String table, long first, long count, long seed) throws Exception {
    AtomicLong next = new AtomicLong(first);
    long end = first + count;
    Sample answer =
        Crew.untilDone(FILL_THREADS, 1)
            .run(
                thread -> {
                  SplittableRandom chance = Operations.chance(seed, thread);
                  return () -> fillBatch(table, next.getAndAdd(FILL_BATCH), end, chance);
                });
    nextRecord.merge(table, end, Math::max);
    return answer;
  }

  private boolean fillBatch(String table, long from, long end, SplittableRandom chance)
      throws Exception {
    if (from >= end) {
      return false;
    }
    List<String> keys = new ArrayList<>();
    List<byte[][]> records = new ArrayList<>();
    for (long number = from; number < Math.min(end, from + FILL_BATCH); number++) {
      keys.add(Records.key(number));
      records.add(Records.fields(chance));
    }
    store.insertAll(table, keys, records);
    return true;
  }

  private Sample load(String table, int threads, double seconds, long seed) throws Exception {
    Inserts inserts = new Inserts(nextRecord.getOrDefault(table, 0L), threads);
    Sample answer =
        new Crew(threads, seconds)
            .run(
                thread -> {
                  SplittableRandom chance = Operations.chance(seed, thread);
                  return () -> {
                    insert(table, inserts.begin(thread), chance);
                    inserts.end(thread);
                    return true;
                  };
                });
    nextRecord.put(table, inserts.there());
    return answer;
  }

  private void insert(String table, long number, SplittableRandom chance) throws Exception {
    store.insert(table, Records.key(number), Records.fields(chance));
  }

  /** The popularity of so many records; computed once for all runs over the same. */
  private void grow(long records) {
    if (popularity.ranks() != records) {
      popularity = Zipfian.of(records);
    }
  }

  /**
   * Runs a workload.
   *
   * @param crew makes the crew of so many threads
   * @param left how many operations there are at most
   */
  private Sample run(
      Workload workload,
      String table,
      int threads,
      IntFunction<Crew> crew,
      AtomicLong left,
      long seed)
      throws Exception {
    long known = nextRecord.getOrDefault(table, popularity.ranks());
    Inserts inserts = new Inserts(known, threads);
    // Before the clock starts, and once for all threads.
    Zipfian ranks = popularity.copy();
    if (workload.newestFirst()) {
      ranks.grow(known);
    }
    Sample answer =
        crew.apply(threads)
            .run(
                thread -> {
                  Operations operations = new Operations(workload, ranks, inserts, thread, seed);
                  return () -> {
                    if (left.getAndDecrement() <= 0) {
                      return false;
                    }
                    Operation next = operations.next();
                    perform(table, next, operations.chance());
                    if (next.kind() == Operation.Kind.INSERT) {
                      inserts.end(thread);
                    }
                    return true;
                  };
                });
    nextRecord.put(table, inserts.there());
    return answer;
  }

  private void perform(String table, Operation operation, RandomGenerator chance) throws Exception {
    String key = Records.key(operation.record());
    switch (operation.kind()) {
      case READ -> checkRead(table, key);
      case UPDATE -> store.update(table, key, operation.field(), Records.field(chance));
      case INSERT -> store.insert(table, key, Records.fields(chance));
      case SCAN -> checkScan(key, operation.rows(), store.scan(table, key, operation.rows()));
      case READ_MODIFY_WRITE -> {
        checkRead(table, key);
        store.update(table, key, operation.field(), Records.field(chance));
      }
    }
  }

  private void checkRead(String table, String key) throws Exception {
    int fields = store.read(table, key);
    if (fields != Records.FIELDS) {
      throw new IllegalStateException(
          "record " + key + " was read with " + fields + " fields: must be " + Records.FIELDS);
    }
  }

  private static void checkScan(String start, int wanted, Store.Found found) {
    boolean right =
        found.rows() >= 1
            && found.rows() <= wanted
            && found.fields() == found.rows() * Records.FIELDS;
    if (!right) {
      throw new IllegalStateException(
          "a scan of " + wanted + " rows from " + start + " found " + found);
    }
  }

  private Sample sweep(String table, long records, int threads, double seconds, long seed)
      throws Exception {
    return new Crew(threads, seconds)
        .run(
            thread -> {
              SplittableRandom chance = Operations.chance(seed, thread);
              return () -> {
                String start = Records.key(chance.nextLong(records));
                checkScan(start, SWEPT_ROWS, store.scan(table, start, SWEPT_ROWS));
                return true;
              };
            });
  }

  /** Asks for records that are spread over the table until each was there; see {@link Probe}. */
  private Sample await(String table, long first, long count, int probes) throws Exception {
    return once(
        () -> {
          for (int probe = 0; probe < probes; probe++) {
            String key = Records.key(first + count * probe / probes);
            while (!store.listens() || !store.tryRead(table, key)) {
              Thread.sleep(Probe.PAUSE_MILLIS);
            }
          }
        });
  }

  private Sample verify(String table, long first, long count) throws Exception {
    AtomicLong next = new AtomicLong(first);
    return Crew.untilDone(VERIFY_THREADS, 1)
        .run(
            thread ->
                () -> {
                  long number = next.getAndIncrement();
                  if (number >= first + count) {
                    return false;
                  }
                  checkRead(table, Records.key(number));
                  return true;
                });
  }
}
