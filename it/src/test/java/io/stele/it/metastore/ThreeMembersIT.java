package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Consistency;
import io.stele.client.metastore.HeldLock;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.LockState;
import io.stele.client.metastore.MetastoreAdmin;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.client.metastore.Session;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.process.Network;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Promises that a group of three keeps when something happens to its members or clients. */
@Timeout(600)
@Order(3)
class ThreeMembersIT {
  private static final ReadOptions STALE = ReadOptions.DEFAULTS.with(Consistency.STALE);

  /** Waits long for one answer, so that a question reaches a member that sleeps. */
  private static final ClientSettings PATIENT =
      ClientSettings.DEFAULTS.withCalls(
          CallSettings.DEFAULTS
              .withTimeout(Duration.ofSeconds(60))
              .withAttemptTimeout(Duration.ofSeconds(60)));

  @SuppressWarnings("NullAway.Init") // before the first test
  private static SteleCluster cluster;

  @BeforeAll
  static void start() {
    cluster =
        SteleCluster.named("three-members")
            .with(3, "metastore")
            .on(Network.open())
            // So little log is kept that a member which was away must take over the state.
            .set(
                "metastore.raft.flush-entries=50",
                "metastore.raft.keep-entries=10",
                "metastore.raft.segment=16KiB")
            .start();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void whatWasAcknowledgedSurvivesTheCrashOfAllThreeAtOnce() throws Exception {
    Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
    AtomicInteger next = new AtomicInteger();
    Workers writers = new Workers("writers", 1);
    try (Stele stele = cluster.client(0, FaultyRun.IMPATIENT)) {
      for (int i = 0; i < 16; i++) {
        writers.start(
            random -> {
              int number = next.getAndIncrement();
              try {
                stele.metastore().put("/crash/" + number, "value " + number);
                acknowledged.add(number);
              } catch (SteleException e) {
                writers.refused();
              }
            });
      }
      await("work").atMost(SteleCluster.RECOVERY).until(() -> acknowledged.size() > 100);
      cluster.killAll(List.of(0, 1, 2));
      writers.stop();
    }
    cluster.startAll(List.of(0, 1, 2));
    cluster.awaitProgress();
    try (Stele stele = cluster.client(0)) {
      FaultyRun.checkKept(stele.metastore(), "/crash/", acknowledged);
    }
  }

  @Test
  void aLeaderThatSleptDoesNotAnswerWithWhatItKnewBefore() {
    int former = cluster.awaitLeader();
    try (Stele stele = cluster.client(cluster.otherMembers(former).getFirst());
        Stele atFormer = cluster.clientOfOnly(former, PATIENT)) {
      stele.metastore().put("/slept", "before");
      assertThat(atFormer.metastore().get("/slept").map(KeyValue::text)).contains("before");
      cluster.server(former).pause();
      List<CompletableFuture<Optional<KeyValue>>> asked = new ArrayList<>();
      try {
        cluster.awaitOtherLeader(former);
        stele.metastore().put("/slept", "after");
        // They lie in the sleeper's sockets, and are the first it sees.
        for (int i = 0; i < 20; i++) {
          asked.add(atFormer.metastore().async().get("/slept"));
        }
      } finally {
        cluster.server(former).resume();
      }
      for (CompletableFuture<Optional<KeyValue>> answer : asked) {
        assertThat(answer.join().map(KeyValue::text)).contains("after");
      }
    }
  }

  @Test
  void aLeaderThatIsCutOffAnswersNoFreshReads() {
    cluster.network().requireCuts();
    int former = cluster.awaitLeader();
    ClientSettings hasty =
        ClientSettings.DEFAULTS
            .withDeduplicate(false)
            .withCalls(CallSettings.DEFAULTS.withTimeout(Duration.ofSeconds(2)));
    try (Stele stele = cluster.client(cluster.otherMembers(former).getFirst());
        Stele atFormer = cluster.clientOfOnly(former, hasty)) {
      stele.metastore().put("/cut", "before");
      cluster.isolate(former);
      try {
        cluster.awaitOtherLeader(former);
        stele.metastore().put("/cut", "after");
        await("what it knows") // a slow machine may need more than the time of one call
            .atMost(SteleCluster.RECOVERY)
            .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
            .untilAsserted(
                () ->
                    assertThat(atFormer.metastore().get("/cut", STALE).map(KeyValue::text))
                        .contains("before"));
        for (Consistency fresh : List.of(Consistency.LINEARIZABLE, Consistency.LEASE)) {
          assertThatThrownBy(
                  () -> atFormer.metastore().get("/cut", ReadOptions.DEFAULTS.with(fresh)))
              .as("a %s read", fresh)
              .isInstanceOf(SteleException.class);
        }
      } finally {
        cluster.network().heal();
      }
      await("the former leader to hear of it")
          .atMost(SteleCluster.RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .untilAsserted(
              () ->
                  assertThat(atFormer.metastore().get("/cut").map(KeyValue::text))
                      .contains("after"));
    }
  }

  /** That the checker finds what it is there to find, in what real clients saw of real members. */
  @Test
  void staleReadsAreFoundOut() throws Exception {
    cluster.network().requireCuts();
    RegisterWorkload registers = new RegisterWorkload(1, Consistency.STALE);
    int leader = cluster.awaitLeader();
    int away = cluster.otherMembers(leader).getFirst();
    try (Stele stele = cluster.client(leader, FaultyRun.IMPATIENT);
        Stele atAway = cluster.clientOfOnly(away, FaultyRun.IMPATIENT.withDeduplicate(false))) {
      cluster.isolate(away);
      for (int i = 0; i < 8; i++) {
        registers.start("at the leader", stele.metastore());
      }
      awaitAnswers(registers, 500); // most keys are written by now, which one member misses
      registers.start("at the one that is away", atAway.metastore());
      awaitAnswers(registers, 1200);
      registers.workers().stop();
    } finally {
      cluster.network().heal();
    }
    assertThat(registers.check().anomalies()).contains(Anomaly.NOT_LINEARIZABLE);
  }

  private static void awaitAnswers(RegisterWorkload registers, long enough) {
    await(enough + " answers")
        .atMost(SteleCluster.RECOVERY)
        .until(() -> registers.workers().answers() > enough);
  }

  @Test
  void aLockIsNeverGrantedToASessionThatDied() throws Exception {
    try (Stele stele = cluster.client();
        Session session = stele.metastore().openSession(Duration.ofMinutes(5));
        WaitingClient waiting = new WaitingClient(cluster, "/dead", Duration.ofSeconds(6))) {
      MetastoreClient client = stele.metastore();
      try (HeldLock held = session.lock("/dead").acquire(Duration.ofSeconds(10))) {
        waiting.launch();
        await("one in line")
            .atMost(SteleCluster.RECOVERY)
            .until(() -> client.lockState("/dead").waiting().size() == 1);
        long dead = client.lockState("/dead").waiting().getFirst();
        assertThat(dead).isNotEqualTo(session.id());
        waiting.pause();
        await("its end")
            .atMost(SteleCluster.RECOVERY)
            .until(() -> client.lockState("/dead").waiting().isEmpty());
        assertThat(held.isHeld()).isTrue();
      }
      LockState free = client.lockState("/dead");
      assertThat(free.holders()).isEmpty();
      try (HeldLock next = session.lock("/dead").acquire(Duration.ofSeconds(10))) {
        waiting.resume();
        assertThat(waiting.outcome()).startsWith("not held");
        assertThat(client.lockState("/dead").holders())
            .extracting(LockState.Holder::session)
            .containsExactly(session.id());
        assertThat(next.isHeld()).isTrue();
      }
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void noTwoSessionsEverHaveTheSameId() throws Exception {
    Set<Long> ids = ConcurrentHashMap.newKeySet();
    Set<Long> twice = ConcurrentHashMap.newKeySet();
    Workers openers = new Workers("openers", 1);
    List<Stele> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Stele stele = cluster.client(i, FaultyRun.IMPATIENT.withDeduplicate(false));
        clients.add(stele);
        for (int j = 0; j < 3; j++) {
          openers.start(
              random -> {
                try {
                  Session session = stele.metastore().openSession(Duration.ofSeconds(30));
                  if (!ids.add(session.id())) {
                    twice.add(session.id());
                  }
                  var _ = session.closeAsync();
                } catch (SteleException e) {
                  openers.refused();
                }
              });
        }
      }
      for (int election = 1; election <= 2; election++) {
        int enough = election * 100;
        await("sessions").atMost(SteleCluster.RECOVERY).until(() -> ids.size() >= enough);
        int leader = cluster.awaitLeader();
        if (election == 1) {
          cluster.server(leader).kill();
          cluster.awaitOtherLeader(leader);
          cluster.server(leader).start();
        } else {
          transferLeadFrom(leader);
        }
      }
      await("sessions").atMost(SteleCluster.RECOVERY).until(() -> ids.size() >= 300);
      openers.stop();
    } finally {
      clients.forEach(Stele::close);
    }
    assertThat(twice).isEmpty();
  }

  private static void transferLeadFrom(int leader) {
    int next = cluster.otherMembers(leader).getFirst();
    try (Stele stele = cluster.client(leader)) {
      MetastoreAdmin admin = stele.metastore().admin();
      String id = cluster.memberAt(cluster.endpoints().get(next)).id();
      await("another leader")
          .atMost(SteleCluster.RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(
              () -> {
                admin.transferLead(id);
                return cluster.leader(stele).filter(now -> now != leader).isPresent();
              });
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void aMemberThatWasAwayForLongTakesOverTheState() throws Exception {
    int leader = cluster.awaitLeader();
    int away = cluster.otherMembers(leader).getLast();
    cluster.server(away).kill();
    String log = cluster.server(away).log();
    String last = "";
    long end = 0;
    try (Stele stele = cluster.client(leader)) {
      // One after the other: each is an entry of the log.
      for (int i = 0; i < 150; i++) {
        last = "value " + i + " " + "x".repeat(500);
        end = stele.metastore().put("/away/" + i % 20, last).revision();
      }
      stele.metastore().delete("/away/0");
      end = stele.metastore().put("/away/19", last).revision();
    }
    cluster.server(away).start();
    ReadOptions then = STALE.at(end);
    try (Stele atAway = cluster.clientOfOnly(away, ClientSettings.DEFAULTS);
        Stele atLeader = cluster.client(leader)) {
      List<KeyValue> found =
          await("the state of revision " + end)
              .atMost(SteleCluster.RECOVERY)
              .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
              .until(() -> FaultyRun.read(atAway.metastore(), then), state -> !state.isEmpty());
      assertThat(found).isEqualTo(FaultyRun.read(atLeader.metastore(), then));
      assertThat(found).extracting(KeyValue::key).contains("/away/19").doesNotContain("/away/0");
    }
    assertThat(cluster.server(away).log().substring(log.length()))
        .as("that it came by a checkpoint")
        .contains("took over the state of");
  }

  @Test
  void aGroupBeginsOnceAndABackupBecomesAGroupOfItsOwn() throws Exception {
    ByteArrayOutputStream backup = new ByteArrayOutputStream();
    List<KeyValue> content;
    try (SteleCluster free = SteleCluster.named("free").with(1, "metastore").startUnformed();
        Stele atFree = free.client();
        Stele stele = cluster.client(1)) {
      bootstrapIsRefused(stele, atFree, free.endpoints().getFirst());
      assertThat(free.status().getFirst().role()).isEqualTo("UNFORMED");

      for (int i = 0; i < 50; i++) {
        stele.metastore().put("/backup/" + i, "value " + i);
      }
      stele.metastore().admin().backup(backup);
      content = FaultyRun.read(stele.metastore(), ReadOptions.DEFAULTS);
      MetastoreAdmin admin = atFree.metastore().admin();
      assertThat(admin.restore(new ByteArrayInputStream(backup.toByteArray()))).hasSize(1);
      free.awaitLeader();
      assertThat(FaultyRun.read(atFree.metastore(), ReadOptions.DEFAULTS)).isEqualTo(content);
      long revision = atFree.metastore().put("/backup/new", "1").revision();
      assertThat(revision)
          .isGreaterThan(content.stream().mapToLong(KeyValue::modified).max().orElseThrow());
      assertThatThrownBy(() -> admin.restore(new ByteArrayInputStream(backup.toByteArray())))
          .isInstanceOf(ConflictException.class);
    }
  }

  private static void bootstrapIsRefused(Stele stele, Stele atFree, String free) {
    assertThatThrownBy(() -> stele.metastore().admin().bootstrap(cluster.endpoints()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("already");
    List<String> mixed = List.of(free, cluster.endpoints().get(1));
    assertThatThrownBy(() -> atFree.metastore().admin().bootstrap(mixed))
        .isInstanceOf(ConflictException.class);
    assertThat(stele.metastore().admin().members()).hasSize(3);
  }

  @Test
  void nothingIsLostStaleOrHeldTwiceWhileMembersFail() throws Exception {
    FaultsIT.run(
        cluster, Seed.of(FaultsIT.class, 1), FaultsIT.FEW, Duration.ZERO, 2, outcome -> {});
  }
}
