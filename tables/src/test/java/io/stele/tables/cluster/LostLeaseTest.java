package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** "A tablet has one owner", whatever a server that lost its session believes. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class LostLeaseTest {
  private static final TabletKey META0 = new TabletKey(TableNames.META0, Optional.empty());
  private static final TabletKey META1 = new TabletKey(TableNames.META1, Optional.empty());

  private SmallCluster cluster = new SmallCluster();
  private Node a = cluster.start("a:1");
  private Node b = cluster.start("b:1");
  private List<TabletKey> keys = List.of();

  @AfterEach
  void end() {
    cluster.close();
  }

  private void again() {
    cluster.close();
    cluster = new SmallCluster();
    a = cluster.start("a:1");
    b = cluster.start("b:1");
  }

  /** META on one server, a table on another or the same. */
  private void start(Node meta, Node user) {
    cluster.bootstrap(meta);
    cluster.create("t", TableSchema.ofFamilies("f"));
    keys = cluster.keys("t");
    cluster.load(user, keys);
    user.table("t").apply(put("0", "f:", 1, "before"));
  }

  private List<FilePath> logFiles(Node node) {
    try {
      return cluster.files().list(FilePath.of("log/" + node.self().run())).stream()
          .map(FileInfo::path)
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withoutItsLeaseAServerAnswersNothing() {
    start(a, b);
    Tables tables = b.server();
    TableScan scan = tables.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
    b.loseSession();
    assertThatThrownBy(() -> scan.next(100)).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> b.table("t").all()).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> b.table("t").row("0"))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("session");
    assertThatThrownBy(() -> b.table("t").read(ReadPredicate.ALL))
        .isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> tables.sampleRows("t")).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> answer(tables.sync(1))).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> b.table("t").apply(put("1", "f:", 1, "too late")))
        .as("certainly not done")
        .isInstanceOf(NotServingException.class);
    CheckAndMutate unmet =
        new CheckAndMutate(
            bytes("none"),
            ReadPredicate.ALL,
            Optional.empty(),
            Optional.of(batch(put("none", "f:", 1, "x"))),
            Optional.empty());
    assertThatThrownBy(() -> answer(tables.checkAndMutate("t", unmet)))
        .as("an answer without a write")
        .isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> b.control().load(1, keys)).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> b.control().report()).isInstanceOf(FencedException.class);
    cluster.load(a, keys);
    assertThat(cluster.all("t")).containsExactly("0/f:@1=before");
  }

  /**
   * The server has META and a table, and loses its lease after each number of looks at it: in the
   * middle of a write, a flush, or a save in META. What it acknowledged is found by whoever comes
   * next.
   */
  @Test
  void whereverTheLeaseEndsNothingIsLostThatWasAcknowledged() {
    boolean ended = true;
    for (int looks = 0; ended; looks++) {
      again();
      start(a, a);
      a.endLeaseAfter(looks);
      List<String> acknowledged = new ArrayList<>(List.of("0/f:@1=before"));
      ended = !work(acknowledged);
      int logs = logFiles(a).size();
      a.loseSession();
      cluster.load(b, List.of(META0));
      cluster.load(b, List.of(META1));
      cluster.loadAgain(b, cluster.keys("t"));
      assertThat(cluster.all("t")).as("after %d looks", looks).containsAll(acknowledged);
      if (ended) {
        assertThat(logFiles(a)).as("logs after %d looks", looks).hasSizeGreaterThanOrEqualTo(logs);
      }
      b.table("t").apply(put("2", "f:", 1, "of the next"));
      assertThat(looks).as("the work must come to an end").isLessThan(1_000);
    }
  }

  /** False if the lease ended meanwhile. */
  private boolean work(List<String> acknowledged) {
    try {
      for (int i = 0; i < 3; i++) {
        a.table("t").apply(put("1" + i, "f:", 1, "v"));
        acknowledged.add("1" + i + "/f:@1=v");
        a.server().flush("t");
      }
      a.control().split(1, keys.getFirst(), Optional.of(bytes("10")));
      assertThat(a.table("t").all()).containsAll(acknowledged);
      return true;
    } catch (FencedException | NotServingException e) {
      return false;
    } catch (SteleException e) {
      assertThat(e).hasMessageContaining("session"); // a split that META was not told of
      return false;
    }
  }

  /** What a server flushed, and could not tell META of in time, is in its log for the next. */
  @Test
  void aSaveThatComesTooLateIsRefusedAndTheLogStays() {
    start(a, b);
    a.kill();
    b.table("t").apply(put("1", "f:", 1, "in the log"));
    b.server().flush("t"); // META is nowhere: its configuration waits
    List<FilePath> logs = logFiles(b);
    b.loseSession();
    Node c = cluster.start("c:1");
    cluster.load(c, List.of(META0));
    cluster.load(c, List.of(META1));
    cluster.loadAgain(c, keys);
    assertThat(logFiles(b)).containsAll(logs);
    assertThat(cluster.all("t")).hasSize(2);
    assertThat(cluster.owner(keys.getFirst())).isSameAs(c);
    assertThatThrownBy(() -> b.table("t").apply(put("2", "f:", 1, "of nobody")))
        .isInstanceOf(NotServingException.class);
  }

  /** A tablet's configuration once the log of the one that had it is named no more. */
  private TabletConfig taken(TabletKey tablet) {
    return await()
        .until(
            () -> cluster.meta().tablet(tablet).orElseThrow(), config -> config.logs().size() == 1);
  }

  /**
   * META decides, even if a lease goes on for too long. What the other one writes then is in vain,
   * as the next test shows; here it has something in memory from before.
   */
  @Test
  void aTabletThatWasTakenIsDroppedByWhoHadIt() {
    start(a, b);
    b.isHeldForDead();
    cluster.load(a, keys);
    TabletConfig taken = taken(keys.getFirst());
    b.server().flush("t");
    await().until(() -> b.control().tablets("t").isEmpty());
    await() // reported after the tablet is gone
        .until(() -> b.events().stream().anyMatch(TableEvent.TabletLost.class::isInstance));
    assertThat(cluster.meta().tablet(keys.getFirst())).contains(taken);
    assertThatThrownBy(() -> b.control().split(1, keys.getFirst(), Optional.of(bytes("0"))))
        .isInstanceOf(NotServingException.class);
    a.table("t").apply(put("2", "f:", 1, "of the owner"));
    assertThat(cluster.all("t")).hasSize(2);
  }

  /**
   * A machine was suspended, and its clocks with it: it takes its lease for valid, while others
   * have fenced and read its log. It acknowledges nothing more, and ends.
   */
  @Test
  void nothingIsAcknowledgedOnceTheLogIsFenced() {
    start(a, b);
    b.isHeldForDead();
    cluster.load(a, keys);
    assertThatThrownBy(() -> b.table("t").apply(put("1", "f:", 1, "in vain")))
        .isInstanceOf(FencedException.class);
    assertThat(b.server().failure()).failsWithin(Duration.ofSeconds(30));
    assertThat(cluster.all("t")).containsExactly("0/f:@1=before");
  }

  /** The same for a split, a clean unload, and the root. */
  @Test
  void neitherASplitNorAnUnloadChangesWhatAnotherHas() {
    start(a, b);
    b.isHeldForDead();
    cluster.load(a, keys);
    TabletConfig taken = taken(keys.getFirst());
    assertThatThrownBy(() -> b.control().split(1, keys.getFirst(), Optional.of(bytes("0"))))
        .hasMessageContaining("was taken from");
    assertThat(cluster.keys("t")).isEqualTo(keys);
    cluster.unload(b, keys);
    assertThat(cluster.meta().tablet(keys.getFirst())).contains(taken);
    a.isHeldForDead();
    Node c = cluster.start("c:1");
    cluster.load(c, List.of(META0));
    TabletConfig root = taken(META0);
    a.server().flush(TableNames.META0);
    cluster.unload(a, List.of(META0));
    assertThat(cluster.meta().tablet(META0)).contains(root);
  }

  @Test
  void ofTwoServersThatLoadATabletOneWins() throws Exception {
    cluster.bootstrap(a);
    String[] splits = new String[20];
    for (int i = 0; i < splits.length; i++) {
      splits[i] = "%02d".formatted(i);
    }
    cluster.create("t", TableSchema.ofFamilies("f"), splits);
    CyclicBarrier together = new CyclicBarrier(2);
    for (TabletKey key : cluster.keys("t")) {
      List<Future<Optional<SteleException>>> results = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (Node node : List.of(a, b)) {
          results.add(
              threads.submit(
                  () -> {
                    together.await();
                    return node.control().load(1, List.of(key)).getFirst().problem();
                  }));
        }
      }
      List<SteleException> problems = new ArrayList<>();
      for (Future<Optional<SteleException>> result : results) {
        result.get().ifPresent(problems::add);
      }
      assertThat(problems).hasSize(1).allMatch(ConflictException.class::isInstance);
      Node winner = cluster.owner(key);
      assertThat(winner.control().tablets("t")).anyMatch(each -> each.last().equals(key.last()));
      Node loser = winner == a ? b : a;
      assertThat(loser.control().tablets("t")).noneMatch(each -> each.last().equals(key.last()));
    }
  }

  /** META1 on two servers: what belongs to both is saved on both. */
  @Test
  void metaMayBeOnSeveralServers() {
    cluster.bootstrap(a);
    TableSchema schema = TableSchema.ofFamilies("f");
    cluster.create("p", schema, "g", "m", "t");
    cluster.create("q", schema, "g", "m", "t");
    a.server().flush(TableNames.META1);
    TabletKey inside = cluster.keys("p").get(1);
    a.control().split(1, META1, Optional.of(inside.metaRow()));
    List<TabletKey> halves = cluster.keys(TableNames.META1);
    assertThat(halves).hasSize(2);
    cluster.move(a, b, halves.subList(0, 1));
    assertThat(cluster.owner(halves.get(0))).isSameAs(b);
    Node c = cluster.start("c:1");
    for (Node node : List.of(a, b, c)) {
      cluster.load(node, cluster.keys("p"));
      node.table("p").apply(put("a", "f:", 1, "x"), put("n", "f:", 1, "y"), put("z", "f:", 1, ""));
      node.server().flush("p");
      assertThat(cluster.all("p")).hasSize(3);
      if (node != c) {
        cluster.unload(node, cluster.keys("p"));
      }
    }
    c.control().split(1, cluster.keys("p").get(1), Optional.of(bytes("k")));
    assertThat(cluster.keys("p")).hasSize(5);
    cluster.create("pp", schema, "g");
    answer(cluster.meta().drop("q"));
    assertThat(cluster.meta().tables()).containsExactly("p", "pp");
    assertThat(a.server().meta().tables()).containsExactly("p", "pp");
    assertThat(b.server().meta().durable().tablets("p")).hasSize(5);
    assertThat(cluster.all("p")).hasSize(3);
  }
}
