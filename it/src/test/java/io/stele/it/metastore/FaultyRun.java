package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.stele.base.error.SteleException;
import io.stele.client.Stele;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Consistency;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.it.process.FaultRun;
import io.stele.it.process.LongestGap;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Change;
import io.stele.testkit.history.RevisionHistory;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.run.LongRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** All workloads at once on one cluster while faults befall it, and then all the checks. */
final class FaultyRun implements AutoCloseable {
  private static final int CLIENTS = 6;

  /** Gives up early, so that faults are seen rather than waited for. */
  static final ClientSettings IMPATIENT =
      SteleCluster.patience(Duration.ofSeconds(5)).withTransactionAttempts(1);

  private final SteleCluster cluster;
  private final long seed;
  private final int workers; // of single keys, for each client
  private final List<Stele> clients = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>(); // of clients of etcd's interface
  private final RegisterWorkload registers;
  private final RegisterWorkload etcd;
  private final TransactionWorkload transactions;
  private final LockWorkload locks;
  private final WatchWorkload watches = new WatchWorkload();

  /**
   * Not started yet.
   *
   * @param workers of single keys, for each client: they wait most of the time
   */
  FaultyRun(SteleCluster cluster, long seed, int workers) {
    this.cluster = cluster;
    this.seed = seed;
    this.workers = workers;
    this.registers = new RegisterWorkload(seed, Consistency.LINEARIZABLE);
    this.etcd = new RegisterWorkload(seed + 3, Consistency.LINEARIZABLE);
    this.transactions = new TransactionWorkload(seed + 1);
    this.locks = new LockWorkload(seed + 2);
  }

  /** Lets clients of all members work. */
  void start() throws InterruptedException {
    for (int i = 0; i < CLIENTS; i++) {
      // Half of them without numbers for their changes: their answers may be lost for good.
      clients.add(cluster.client(i % cluster.size(), IMPATIENT.withDeduplicate(i % 2 == 0)));
    }
    // What another test has written there is none of its history.
    clients.getFirst().metastore().delete(Keys.below("/registers/"));
    transactions.prepare(clients.getFirst().metastore());
    for (int i = 0; i < cluster.size(); i++) {
      ManagedChannel channel =
          ManagedChannelBuilder.forTarget(cluster.server(i).address()).usePlaintext().build();
      channels.add(channel);
      etcd.start("etcd-" + i, new EtcdRegisters(channel));
    }
    for (int i = 0; i < CLIENTS; i++) {
      MetastoreClient client = clients.get(i).metastore();
      watches.start("registers-" + i, client, "/registers/", 0);
      watches.start("transactions-" + i, client, TransactionWorkload.DIRECTORY, 1);
      for (int j = 0; j < workers; j++) {
        registers.start("client-" + i + ".register-" + j, client);
      }
      for (int j = 0; j < 2; j++) {
        transactions.start("client-" + i + ".transaction-" + j, client);
        locks.start("client-" + i + ".lock-" + j, client);
      }
    }
  }

  /** Without a put that succeeded. */
  LongestGap gap() {
    return registers.gap();
  }

  /** Fails as soon as a worker did, and not only in the end. */
  void requireWorking() {
    registers.workers().requireWorking();
    etcd.workers().requireWorking();
    transactions.workers().requireWorking();
    locks.workers().requireWorking();
  }

  /**
   * Ends the work, then checks all that was seen.
   *
   * @param suite which test it is
   * @param report takes what was found before it fails because of it
   */
  void checkAll(Class<?> suite, FaultRun faults, Consumer<LongRun.Outcome> report)
      throws InterruptedException {
    Duration gap = registers.gap().longest();
    registers.workers().stop();
    etcd.workers().stop();
    transactions.workers().stop();
    locks.workers().stop();
    String story = "seed " + seed + "; " + faults + "; logs in " + cluster.logs();
    System.out.println(story);
    System.out.println(faults.times());
    System.out.println(
        registers.workers() + "\n" + etcd.workers() + "\n" + transactions + "\n" + locks);
    try (Stele last = cluster.client()) {
      MetastoreClient client = last.metastore();
      long end = client.put("/end", "of all").revision();
      watches.stop(end);
      RevisionHistory all = WatchWorkload.everything(client, end);
      Map<String, Verdict> verdicts = new LinkedHashMap<>();
      verdicts.put("registers", registers.check());
      verdicts.put("registers of etcd's clients", etcd.check());
      verdicts.put(
          "transactions",
          transactions.check(WatchWorkload.below(all, TransactionWorkload.DIRECTORY)));
      verdicts.put("locks", locks.check(all));
      verdicts.put("watches", watches.check(all, end));
      verdicts.forEach((what, verdict) -> System.out.println(what + ": " + verdict.checked()));
      report.accept(
          new LongRun.Outcome(
              suite.getSimpleName(),
              seed,
              faults.time(),
              verdicts.values().stream().mapToLong(Verdict::checked).sum(),
              faults.injected(),
              verdicts.values().stream().mapToLong(verdict -> verdict.violations().size()).sum(),
              gap));
      verdicts.forEach(
          (what, verdict) -> assertThat(verdict.violations()).as(what + " " + story).isEmpty());
      checkState(all, end, story);
      checkCheckers(all, end);
    }
  }

  /** The same clients beside a store that has forgotten, or invented, a change: that is noticed. */
  private void checkCheckers(RevisionHistory all, long end) {
    long lost = WatchWorkload.below(all, TransactionWorkload.DIRECTORY).revisions().lastKey();
    NavigableMap<Long, List<Change>> forgetful = new TreeMap<>(all.revisions());
    forgetful.remove(lost);
    RevisionHistory wrong = new RevisionHistory(forgetful);
    assertThat(
            transactions
                .check(WatchWorkload.below(wrong, TransactionWorkload.DIRECTORY))
                .violations())
        .as("transactions without revision %d", lost)
        .isNotEmpty();
    assertThat(watches.check(wrong, end).anomalies())
        .as("watches without revision %d", lost)
        .contains(Anomaly.WATCH_UNEXPLAINED);
    forgetful.put(lost, List.of(Change.put(TransactionWorkload.DIRECTORY + "invented", "1")));
    assertThat(watches.check(new RevisionHistory(forgetful), end).anomalies())
        .as("watches with an invented revision %d", lost)
        .contains(Anomaly.WATCH_GAP);
    assertThat(locks.checkProlonged(Duration.ofSeconds(2)).anomalies())
        .as("locks held for longer")
        .contains(Anomaly.LOCK_OVERLAP);
  }

  /** What each member holds is what the changes lead to. */
  private void checkState(RevisionHistory all, long end, String story) {
    SortedMap<String, String> expected = new TreeMap<>(all.state());
    for (int i = 0; i < cluster.size(); i++) {
      try (Stele one = cluster.clientOfOnly(i, ClientSettings.DEFAULTS.withDeduplicate(false))) {
        ReadOptions then = ReadOptions.DEFAULTS.with(Consistency.STALE).at(end);
        SortedMap<String, String> found =
            await("member " + i + " to have come to revision " + end)
                .atMost(SteleCluster.RECOVERY)
                .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
                .until(() -> texts(read(one.metastore(), then)), s -> s.containsKey("/end"));
        assertThat(found).as("member " + i + " " + story).isEqualTo(expected);
      }
    }
  }

  private static SortedMap<String, String> texts(Iterable<KeyValue> keys) {
    SortedMap<String, String> texts = new TreeMap<>();
    keys.forEach(key -> texts.put(key.key(), key.text()));
    return texts;
  }

  /** That a directory has all of these numbers, each with its value. */
  static void checkKept(MetastoreClient client, String directory, Set<Integer> numbers) {
    SortedMap<String, String> kept = texts(client.range(Keys.below(directory)));
    for (int number : numbers) {
      assertThat(kept)
          .as("put %d of %d", number, numbers.size())
          .containsEntry(directory + number, "value " + number);
    }
  }

  /** Everything. */
  static List<KeyValue> read(MetastoreClient client, ReadOptions options) {
    List<KeyValue> all = new ArrayList<>();
    client.range(Keys.all(), options).forEach(all::add);
    return all;
  }

  @Override
  public void close() {
    clients.forEach(Stele::close);
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
