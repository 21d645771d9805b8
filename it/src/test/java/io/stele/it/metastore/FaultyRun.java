package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Consistency;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Change;
import io.stele.testkit.history.RevisionHistory;
import io.stele.testkit.history.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/** All workloads at once on one cluster, while a nemesis is at it, and then all the checks. */
final class FaultyRun implements AutoCloseable {
  private static final int CLIENTS = 6;

  /**
   * Of single keys, for each client: they wait most of the time, and share the trips they wait for.
   */
  private static final int WORKERS = 32;

  /** Gives up early, so that faults are seen rather than waited for. */
  static final ClientSettings IMPATIENT =
      ClientSettings.DEFAULTS
          .withCalls(
              CallSettings.DEFAULTS
                  .withTimeout(Duration.ofSeconds(5))
                  .withAttemptTimeout(Duration.ofSeconds(2))
                  .withPauses(Duration.ofMillis(20), Duration.ofMillis(200)))
          .withTransactionAttempts(1);

  private final TestCluster cluster;
  private final long seed;
  private final List<Stele> clients = new ArrayList<>();
  private final RegisterWorkload registers;
  private final TransactionWorkload transactions;
  private final LockWorkload locks;
  private final WatchWorkload watches = new WatchWorkload();

  FaultyRun(TestCluster cluster, long seed) {
    this.cluster = cluster;
    this.seed = seed;
    this.registers = new RegisterWorkload(seed, Consistency.LINEARIZABLE);
    this.transactions = new TransactionWorkload(seed + 1);
    this.locks = new LockWorkload(seed + 2);
  }

  /** Has clients at all members work. */
  void start() throws InterruptedException {
    for (int i = 0; i < CLIENTS; i++) {
      // Half of them without numbers for their changes: their answers may be lost for good.
      clients.add(cluster.client(i % cluster.size(), IMPATIENT.withDeduplicate(i % 2 == 0)));
    }
    transactions.prepare(clients.getFirst().metastore());
    for (int i = 0; i < CLIENTS; i++) {
      MetastoreClient client = clients.get(i).metastore();
      watches.start("registers-" + i, client, "/registers/", 0);
      watches.start("transactions-" + i, client, TransactionWorkload.DIRECTORY, 1);
      for (int j = 0; j < WORKERS; j++) {
        registers.start("client-" + i + ".register-" + j, client);
      }
      for (int j = 0; j < 2; j++) {
        transactions.start("client-" + i + ".transaction-" + j, client);
        locks.start("client-" + i + ".lock-" + j, client);
      }
    }
  }

  /** How many operations had an answer so far. */
  long answers() {
    return registers.workers().answers()
        + transactions.workers().answers()
        + locks.workers().answers();
  }

  /** Ends the work, then checks all that was seen. Returns how much that was. */
  long checkAll(Nemesis nemesis) throws InterruptedException {
    registers.workers().stop();
    transactions.workers().stop();
    locks.workers().stop();
    String story = "seed " + seed + "; " + nemesis + "; logs in " + cluster.logs();
    System.out.println(story);
    System.out.println(registers.workers() + "\n" + transactions + "\n" + locks);
    try (Stele last = cluster.client(0)) {
      MetastoreClient client = last.metastore();
      long end = client.put("/end", "of all").revision();
      watches.stop(end);
      RevisionHistory all = WatchWorkload.everything(client, end);
      Map<String, Verdict> verdicts = new LinkedHashMap<>();
      verdicts.put("registers", registers.check());
      verdicts.put(
          "transactions",
          transactions.check(WatchWorkload.below(all, TransactionWorkload.DIRECTORY)));
      verdicts.put("locks", locks.check(all));
      verdicts.put("watches", watches.check(all, end));
      verdicts.forEach((what, verdict) -> System.out.println(what + ": " + verdict.checked()));
      verdicts.forEach(
          (what, verdict) -> assertThat(verdict.violations()).as(what + " " + story).isEmpty());
      checkState(all, end, story);
      checkCheckers(all, end);
      return verdicts.values().stream().mapToLong(Verdict::checked).sum();
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
                .atMost(TestCluster.RECOVERY)
                .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
                .until(() -> texts(read(one.metastore(), then)), s -> s.containsKey("/end"));
        assertThat(found).as("member " + i + " " + story).isEqualTo(expected);
      }
    }
  }

  private static SortedMap<String, String> texts(List<KeyValue> keys) {
    SortedMap<String, String> texts = new TreeMap<>();
    keys.forEach(key -> texts.put(key.key(), key.text()));
    return texts;
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
  }
}
