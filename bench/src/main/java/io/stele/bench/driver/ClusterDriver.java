package io.stele.bench.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Does to a cluster what it is told. Beside the requests of {@link Driver}:
 *
 * <pre>
 *   live COUNT                                   until so many servers live
 *   gone ADDRESS                                 until a server no longer counts as living
 *   gather TABLE ADDRESS                         moves all of a table to a server, the catalog off it
 *   write TABLE PROBES                           until each of so many records has taken a change
 *   count TABLE                                  of its rows: the number of runs
 *   make TABLE                                   until a table can be made
 *   parts TABLE PARTS                            makes a table of so many tablets
 *   share ADDRESS TABLETS                        until a server has so many tablets
 *   spread ADDRESS TABLETS                       likewise, after having them spread
 *   lookups TABLE PARTS THREADS SECONDS SEED     asks the catalog for tablets at random
 *   moves TABLE COUNT                            moves a tablet while a client writes to it: how
 *                                                long that waited at the longest, by move
 * </pre>
 */
public final class ClusterDriver implements Driver.More {
  private static final long SLOW_PAUSE_MILLIS = 50; // where asking is work for the servers

  private static final long PATIENCE_NANOS = 900_000_000_000L;

  /** A row of each of a table's four parts. */
  private static final List<String> A_ROW_OF_EACH = List.of("user2", "user4", "user6", "user8");

  private final ClusterStore store;

  ClusterDriver(ClusterStore store) {
    this.store = store;
  }

  /** Serves this process's standard input until it ends. */
  public static void serve(ClusterStore store) throws Exception {
    Driver.serve(store, new ClusterDriver(store));
  }

  @Override
  public Optional<Sample> answer(String[] words) throws Exception {
    Sample answer =
        switch (words[0] + " " + (words.length - 1)) {
          case "live 1" -> until(() -> store.servers().size() >= number(words[1]));
          case "gone 1" -> until(() -> !store.servers().contains(words[1]));
          case "gather 2" -> Driver.once(() -> gather(words[1], words[2]));
          case "write 2" -> write(words[1], number(words[2]));
          case "count 1" -> count(words[1]);
          case "make 1" -> until(() -> store.tryCreate(words[1]));
          case "parts 2" -> Driver.once(() -> store.create(words[1], splits(number(words[2]))));
          case "share 2" -> share(words[1], number(words[2]));
          case "spread 2" -> {
            store.spread();
            yield share(words[1], number(words[2]));
          }
          case "lookups 5" ->
              lookups(
                  words[1],
                  number(words[2]),
                  number(words[3]),
                  Double.parseDouble(words[4]),
                  number(words[5]));
          case "moves 2" -> new MovePauses(store, words[1]).measure(number(words[2]));
          default -> null;
        };
    return Optional.ofNullable(answer);
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static Sample until(Condition condition) throws Exception {
    return until(condition, Probe.PAUSE_MILLIS);
  }

  /** A question that fails is asked again: whom it is put to may be starting, or dying. */
  private static Sample until(Condition condition, long pauseMillis) throws Exception {
    return Driver.once(
        () -> {
          long start = System.nanoTime();
          while (!holds(condition, System.nanoTime() - start > PATIENCE_NANOS)) {
            Thread.sleep(pauseMillis);
          }
        });
  }

  private static boolean holds(Condition condition, boolean last) throws Exception {
    try {
      if (condition.holds()) {
        return true;
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      if (last) {
        throw e;
      }
      return false;
    }
    if (last) {
      throw new IllegalStateException(
          "it is not so after %d minutes".formatted(PATIENCE_NANOS / 60_000_000_000L));
    }
    return false;
  }

  private Sample share(String address, int tablets) throws Exception {
    return until(() -> store.tablets(address) >= tablets, SLOW_PAUSE_MILLIS);
  }

  /** All of it is in one server's log then, and the catalog need not be recovered with it. */
  private void gather(String table, String address) throws Exception {
    store.moveCatalogOff(address);
    for (String row : A_ROW_OF_EACH) {
      if (!store.locate(table, row).equals(address)) {
        store.move(table, row, address);
      }
    }
    for (String row : A_ROW_OF_EACH) {
      String found = store.locate(table, row);
      if (!found.equals(address)) {
        throw new IllegalStateException(
            "row " + row + " of " + table + " is at '" + found + "': must be at " + address);
      }
    }
  }

  private Sample write(String table, int probes) throws Exception {
    return Driver.once(
        () -> {
          for (int probe = 0; probe < probes; probe++) {
            String key = Records.key(probe);
            while (!store.tryWrite(table, key)) {
              Thread.sleep(Probe.PAUSE_MILLIS);
            }
          }
        });
  }

  private Sample count(String table) throws Exception {
    long start = System.nanoTime();
    long rows = store.count(table);
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Sample(rows, seconds, seconds * 1e6, seconds * 1e6);
  }

  private static List<String> splits(int parts) {
    List<String> splits = new ArrayList<>();
    for (int part = 1; part < parts; part++) {
      splits.add(partRow(part));
    }
    return splits;
  }

  private static String partRow(int part) {
    return "part" + (1_000_000 + part);
  }

  private Sample lookups(String table, int parts, int threads, double seconds, long seed)
      throws Exception {
    return new Crew(threads, seconds)
        .run(
            thread -> {
              SplittableRandom chance = new SplittableRandom(seed * threads + thread);
              return () -> {
                // Behind the split row: in the part that follows it, for those who count the split
                // row to the part before and those who count it to the part behind.
                String row = partRow(chance.nextInt(parts)) + "-";
                if (store.locate(table, row).isEmpty()) {
                  throw new IllegalStateException(
                      "row " + row + " of " + table + " is nowhere: must be on a server");
                }
                return true;
              };
            });
  }
}
