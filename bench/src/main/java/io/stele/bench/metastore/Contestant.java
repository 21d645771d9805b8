package io.stele.bench.metastore;

import io.stele.bench.measure.ClosedLoop;
import io.stele.bench.measure.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** A side with its running members and the connections to them. */
final class Contestant implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LOADERS = 16;
  private static final long SEED = 20_261_116;

  /** What a client asks for next, over its connection. */
  interface Request {
    CompletableFuture<?> send(Driver connection, RandomGenerator chance);
  }

  private final Side side;
  private final Cluster cluster;
  private final List<Driver> connections = new ArrayList<>();
  private final AtomicLong editions = new AtomicLong();

  private Contestant(Side side, Cluster cluster) {
    this.side = side;
    this.cluster = cluster;
  }

  static Contestant start(Side side, Path directory, int members) throws Exception {
    Contestant contestant = new Contestant(side, side.start(directory, members));
    try {
      contestant.connect();
      return contestant;
    } catch (Exception e) {
      contestant.close();
      throw e;
    }
  }

  void connect() throws Exception {
    while (connections.size() < Scale.CONNECTIONS) {
      connections.add(cluster.connect());
    }
  }

  String name() {
    return side.name();
  }

  Side side() {
    return side;
  }

  Cluster cluster() {
    return cluster;
  }

  Driver connection(int client) {
    return connections.get(client % connections.size());
  }

  int connections() {
    return connections.size();
  }

  /** Puts never write the same twice; how many there were is also how many editions. */
  long nextEdition() {
    return editions.incrementAndGet();
  }

  long editions() {
    return editions.get();
  }

  long conflicts() {
    return connections.stream().mapToLong(Driver::conflicts).sum();
  }

  /** So many clients, spread over the connections, that each ask as soon as they are answered. */
  Sample loop(int clients, Duration length, Request request) throws Exception {
    List<ClosedLoop.Client> all = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      Driver connection = connection(client);
      RandomGenerator chance = new SplittableRandom(SEED + client);
      all.add(() -> request.send(connection, chance));
    }
    return loop(all, length);
  }

  Sample loop(List<? extends ClosedLoop.Client> clients, Duration length) throws Exception {
    cluster.checkAlive();
    return new ClosedLoop(length, PATIENCE, cluster.processes()).run(clients);
  }

  /** Puts every key of a set for the first time. */
  void load(KeySet keys) throws Exception {
    new Loading(keys).run();
  }

  /** Loaders that take the next batch when their last one is done, until there is none left. */
  private final class Loading {
    private final KeySet keys;
    private final AtomicLong next = new AtomicLong();
    private final List<CompletableFuture<Void>> loaders = new ArrayList<>();

    Loading(KeySet keys) {
      this.keys = keys;
    }

    void run() throws Exception {
      for (int i = 0; i < LOADERS; i++) {
        loaders.add(new CompletableFuture<>());
      }
      // From the first one on, others look at the list.
      for (int i = 0; i < LOADERS; i++) {
        goOn(connection(i), loaders.get(i));
      }
      CompletableFuture.allOf(loaders.toArray(CompletableFuture[]::new)).get();
    }

    private void goOn(Driver connection, CompletableFuture<Void> ended) {
      long first = next.getAndAdd(Scale.LOAD_BATCH);
      if (first >= keys.count()
          || loaders.stream().anyMatch(CompletableFuture::isCompletedExceptionally)) {
        ended.complete(null);
        return;
      }
      int count = (int) Math.min(Scale.LOAD_BATCH, keys.count() - first);
      var _ =
          connection
              .load(keys, first, count)
              .whenComplete(
                  (_, problem) -> {
                    if (problem != null) {
                      ended.completeExceptionally(problem);
                    } else {
                      goOn(connection, ended);
                    }
                  });
    }
  }

  void disconnect() throws Exception {
    for (Driver connection : connections) {
      connection.close();
    }
    connections.clear();
  }

  @Override
  public void close() throws Exception {
    try {
      disconnect();
    } finally {
      cluster.close();
    }
  }
}
