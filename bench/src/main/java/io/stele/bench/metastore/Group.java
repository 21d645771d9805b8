package io.stele.bench.metastore;

import io.stele.base.error.UnavailableException;
import io.stele.base.process.ChildProcess;
import io.stele.bench.Running;
import io.stele.bench.driver.Probe;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.ClosedLoop;
import io.stele.bench.measure.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/** The running members of one side, which together are one store, and the connections to them. */
final class Group implements Running.Started {
  static final int CONNECTIONS = 8;
  private static final int LOADERS = 16;

  /** Keys that one transaction loads; etcd takes 128 operations in one. */
  static final int LOAD_BATCH = 100;

  private static final Duration LOOP_PATIENCE = Duration.ofSeconds(30);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);

  // etcd reads its whole index before it answers: minutes for tens of millions of keys.
  private static final Duration START_PATIENCE = Duration.ofMinutes(15);
  private static final long SEED = 20_261_116;
  private static final KeySet FIRST_KEY = new KeySet("/ready", 1, 16);

  /** How to speak to members that run. */
  interface Connector {
    /** Opens a connection to the leader; may fail as long as the members are not ready. */
    Connection connect(List<String> addresses) throws Exception;
  }

  /** What a client asks for next, over its connection. */
  interface Request {
    CompletableFuture<?> send(Connection connection, RandomGenerator chance);
  }

  /** What members can answer only once they serve. */
  interface Question {
    CompletableFuture<?> send(Connection connection);
  }

  private final String name;
  private final Path directory;
  private final List<ChildProcess> members;
  private final List<String> addresses;
  private final Connector connector;
  private final List<Connection> connections = new ArrayList<>();
  private final AtomicLong editions = new AtomicLong();

  /** A group of members that were launched. */
  Group(
      String name,
      Path directory,
      List<? extends ChildProcess> members,
      List<String> addresses,
      Connector connector) {
    this.name = name;
    this.directory = directory;
    this.members = List.copyOf(members);
    this.addresses = List.copyOf(addresses);
    this.connector = connector;
  }

  /** Waits until the members serve, and connects to them; a group that does not serve is ended. */
  Group ready() throws Exception {
    try {
      await(connection -> connection.put(FIRST_KEY, 0, 0));
      while (connections.size() < CONNECTIONS) {
        connections.add(connector.connect(addresses));
      }
      return this;
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<ProcessHandle> servers() {
    return members.stream().filter(ChildProcess::isAlive).map(ChildProcess::handle).toList();
  }

  Connection connection(int client) {
    return connections.get(client % connections.size());
  }

  int connections() {
    return connections.size();
  }

  /** Puts never write the same twice; how many there were is also how many editions. */
  long nextEdition() {
    return editions.incrementAndGet();
  }

  long conflicts() {
    return connections.stream().mapToLong(Connection::conflicts).sum();
  }

  /** So many clients, spread over the connections, that each ask as soon as they are answered. */
  Sample loop(int clients, Duration length, Request request) throws Exception {
    List<ClosedLoop.Client> all = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      Connection connection = connection(client);
      RandomGenerator chance = new SplittableRandom(SEED + client);
      all.add(() -> request.send(connection, chance));
    }
    return loop(all, length);
  }

  Sample loop(List<? extends ClosedLoop.Client> clients, Duration length) throws Exception {
    members.forEach(ChildProcess::checkAlive);
    return new ClosedLoop(length, LOOP_PATIENCE).run(clients);
  }

  // ---- so much work, however long it takes

  /** Puts every key of a set for the first time. */
  void load(KeySet keys) throws Exception {
    long batches = (keys.count() + LOAD_BATCH - 1) / LOAD_BATCH;
    doAll(
        batches,
        LOADERS,
        batch -> {
          long first = batch * LOAD_BATCH;
          int count = (int) Math.min(LOAD_BATCH, keys.count() - first);
          return connection((int) (batch % CONNECTIONS)).load(keys, first, count);
        });
  }

  /** Puts values of keys at random, so many times. */
  void putMany(KeySet keys, long count, int clients) throws Exception {
    doAll(
        count,
        clients,
        number ->
            connection((int) (number % CONNECTIONS))
                .put(
                    keys,
                    new SplittableRandom(SEED + number).nextLong(keys.count()),
                    nextEdition()));
  }

  /** Does numbered things, some at a time, until there are none left or one fails. */
  private static void doAll(long count, int atATime, LongFunction<CompletableFuture<?>> thing)
      throws Exception {
    AtomicLong next = new AtomicLong();
    List<CompletableFuture<Void>> loops = new ArrayList<>();
    for (int i = 0; i < atATime; i++) {
      loops.add(new CompletableFuture<>());
    }
    // From the first one on, others look at the list.
    loops.forEach(loop -> goOn(next, count, loops, loop, thing));
    CompletableFuture.allOf(loops.toArray(CompletableFuture[]::new)).get();
  }

  private static void goOn(
      AtomicLong next,
      long count,
      List<CompletableFuture<Void>> loops,
      CompletableFuture<Void> ended,
      LongFunction<CompletableFuture<?>> thing) {
    long number = next.getAndIncrement();
    if (number >= count || loops.stream().anyMatch(CompletableFuture::isCompletedExceptionally)) {
      ended.complete(null);
      return;
    }
    var _ =
        thing
            .apply(number)
            .whenComplete(
                (_, problem) -> {
                  if (problem != null) {
                    ended.completeExceptionally(problem);
                  } else {
                    goOn(next, count, loops, ended, thing);
                  }
                });
  }

  // ---- restarts

  /** Asks the members to end, waits for that, and forgets the connections. */
  void stop() throws Exception {
    disconnect();
    members.forEach(member -> member.stop(STOP_PATIENCE));
  }

  /** From the launch of all members, which must not run, to an answer: the seconds. */
  double restart(Question question) throws Exception {
    long start = System.nanoTime();
    members.forEach(ChildProcess::launch);
    await(question);
    return (System.nanoTime() - start) / 1e9;
  }

  /** Asks again and again, over a new connection each time, until there is an answer. */
  private void await(Question question) throws Exception {
    long start = System.nanoTime();
    while (!isAnswered(question)) {
      members.forEach(ChildProcess::checkAlive);
      if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
        throw new UnavailableException(
            "%s has not answered for %s; its first member said last:%n%s"
                .formatted(name, START_PATIENCE, members.getFirst().lastLines()));
      }
      Thread.sleep(Probe.PAUSE_MILLIS);
    }
  }

  private boolean isAnswered(Question question) throws Exception {
    if (!addresses.stream().allMatch(Probe::listens)) {
      return false;
    }
    try (Connection connection = connector.connect(addresses)) {
      question.send(connection).get(Probe.ATTEMPT_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException | UnavailableException e) {
      if (e.getCause() instanceof WrongAnswerException wrong) {
        throw wrong;
      }
      return false; // not yet
    }
  }

  /** Bytes of all files of all members. */
  long diskBytes() throws IOException {
    return Workspace.bytes(directory);
  }

  private void disconnect() throws Exception {
    for (Connection connection : connections) {
      connection.close();
    }
    connections.clear();
  }

  /** Its data goes next, so nobody need tidy up. */
  @Override
  public void close() throws Exception {
    try {
      disconnect();
    } finally {
      members.forEach(ChildProcess::kill);
    }
  }
}
