package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.key;
import static io.stele.metastore.node.TestNode.now;
import static io.stele.metastore.node.TestNode.prefix;
import static io.stele.metastore.node.TestNode.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.metastore.Consistency;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeReadTest {
  private TestNode test = TestNode.solo();

  @AfterEach
  void close() {
    test.close();
  }

  private void manual() {
    test.close();
    test = TestNode.manual(NodeSettings.DEFAULT);
  }

  private List<DirectoryEntry> list(String directory) {
    return now(test.node().list("", Bytes.utf8(directory), "", 0, Consistency.LINEARIZABLE));
  }

  private RangeAnswer range(String principal, RangeRead read) {
    return now(test.node().read(principal, read, Consistency.LINEARIZABLE));
  }

  /** "GetRange(start_key, end_key)": sorted, half open, with a limit to go on from. */
  @Test
  void rangesAreSortedAndHalfOpen() {
    test.put("/d/b", "2");
    test.put("/d/a", "1");
    test.put("/e", "3");
    RangeAnswer all = range("", RangeRead.of(prefix("/d/")));
    assertThat(all.keys())
        .extracting(KeyValue::key)
        .containsExactly(Bytes.utf8("/d/a"), Bytes.utf8("/d/b"));
    RangeAnswer cut = range("", new RangeRead(prefix("/d/"), 1, false, false, 0));
    assertThat(cut.more()).isTrue();
    assertThat(cut.count()).isEqualTo(1);
    assertThat(range("", new RangeRead(prefix("/"), 0, false, true, 0)).count()).isEqualTo(3);
  }

  /** "Used for listing files in a directory." */
  @Test
  void directoriesAreListed() {
    test.put("/d/a", "1");
    test.put("/d/sub/x", "1");
    assertThat(list("/d"))
        .containsExactly(
            new DirectoryEntry("a", true, false), new DirectoryEntry("sub", false, true));
    assertThatThrownBy(() -> list("d//"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("d//");
  }

  /** "each key should be absolute path." */
  @Test
  void aKeyThatIsNoPathIsRefused() {
    for (String key : new String[] {"relative", "/a//b", "/a/", "/../a", ""}) {
      assertThatThrownBy(() -> test.put(key, "1")).isInstanceOf(InvalidRequestException.class);
    }
    assertThat(test.node().status().revision()).isEqualTo(1);
  }

  @Test
  void thePastCanBeReadUntilItIsCompacted() {
    long first = test.put("/a", "1");
    long second = test.put("/a", "2");
    RangeRead past = new RangeRead(key("/a"), 0, false, false, first);
    assertThat(range("", past).keys().getFirst().value().toUtf8()).isEqualTo("1");
    assertThat(range("", past).revision()).isEqualTo(second);
    now(test.node().compact(Origin.NOBODY, second));
    assertThatThrownBy(() -> range("", past))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("compacted");
    assertThatThrownBy(() -> range("", new RangeRead(key("/a"), 0, false, false, 99)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("99");
  }

  @Test
  void oldHistoryIsForgottenByItself() {
    test.close();
    test = TestNode.solo(NodeSettings.DEFAULT.withHistory(Duration.ofMinutes(10)));
    test.tick();
    for (int i = 0; i < 50; i++) {
      test.put("/a", "" + i);
    }
    long newest = test.node().status().revision();
    test.pass(Duration.ofMinutes(9));
    assertThat(test.node().status().compacted()).isLessThan(newest);
    test.pass(Duration.ofMinutes(3));
    test.tick();
    assertThat(test.node().status().compacted()).isEqualTo(newest);
    assertThat(test.get("/a")).contains("49");
  }

  @Test
  void soManyRevisionsAreKept() {
    test.close();
    test = TestNode.solo(NodeSettings.DEFAULT.withHistory(Duration.ZERO, 20));
    for (int i = 0; i < 50; i++) {
      test.put("/a", "" + i);
    }
    long newest = test.node().status().revision();
    test.pass(Duration.ofSeconds(30));
    assertThat(test.node().status().compacted()).as("once a minute").isZero();
    test.pass(Duration.ofSeconds(40));
    assertThat(test.node().status().compacted()).isEqualTo(newest - 20);
  }

  @Test
  void theLeaderForgetsThoughTheRootHasRules() {
    test.close();
    test = TestNode.solo(NodeSettings.DEFAULT.withHistory(Duration.ofMinutes(10)));
    test.tick();
    long revision = test.put("/a", "1");
    now(
        test.node()
            .setAcl(Origin.NOBODY, Bytes.utf8("/"), List.of(new AclEntry("ann", true, true))));
    test.node().tick();
    for (int i = 0; i < 4; i++) {
      test.clock.advance(Duration.ofMinutes(5));
      test.tick();
    }
    assertThat(test.node().status().compacted()).isEqualTo(revision);
    assertThatThrownBy(() -> now(test.node().compact(Origin.NOBODY, revision)))
        .isInstanceOf(DeniedException.class);
  }

  // ---- freshness

  @Test
  void aLinearizableReadWaitsForItsBarrier() {
    manual();
    test.put("/a", "1");
    test.log().holdsBarriers = true;
    CompletableFuture<RangeAnswer> read =
        test.node().read("", RangeRead.of(key("/a")), Consistency.LINEARIZABLE);
    assertThat(read).isNotDone();
    test.log().confirmBarriers(true);
    assertThat(now(read).keys()).hasSize(1);
  }

  @Test
  void anIsolatedLeaderAnswersNoLinearizableRead() {
    manual();
    test.put("/a", "1");
    test.log().holdsBarriers = true;
    CompletableFuture<RangeAnswer> read =
        test.node().read("", RangeRead.of(key("/a")), Consistency.LINEARIZABLE);
    test.log().confirmBarriers(false);
    assertThatThrownBy(() -> now(read)).isInstanceOf(NotServingException.class);
  }

  @Test
  void aLeaseReadTrustsARecentBarrier() {
    manual();
    test.put("/a", "1");
    test.get("/a", Consistency.LEASE);
    int asked = test.log().barriersAsked;
    test.get("/a", Consistency.LEASE);
    test.clock.advance(Duration.ofMillis(499));
    assertThat(test.get("/a", Consistency.LEASE)).contains("1");
    assertThat(test.log().barriersAsked).isEqualTo(asked);
    test.clock.advance(Duration.ofMillis(1));
    test.get("/a", Consistency.LEASE);
    assertThat(test.log().barriersAsked).isEqualTo(asked + 1);
  }

  @Test
  void aLeaseEndsWithTheLead() {
    manual();
    test.put("/a", "1");
    test.get("/a", Consistency.LINEARIZABLE);
    test.log().depose();
    assertThatThrownBy(() -> test.get("/a", Consistency.LEASE))
        .isInstanceOf(NotServingException.class);
    assertThat(test.get("/a", Consistency.STALE)).contains("1");
  }

  /**
   * The lease runs from when the barrier was asked for: the answer may have been long under way.
   */
  @Test
  void aLeaseRunsFromTheQuestionNotTheAnswer() {
    manual();
    test.put("/a", "1");
    test.log().holdsBarriers = true;
    CompletableFuture<RangeAnswer> read =
        test.node().read("", RangeRead.of(key("/a")), Consistency.LINEARIZABLE);
    test.clock.advance(Duration.ofMillis(400));
    test.log().confirmBarriers(true);
    now(read);
    test.clock.advance(Duration.ofMillis(200));
    test.log().holdsBarriers = false;
    int asked = test.log().barriersAsked;
    test.get("/a", Consistency.LEASE);
    assertThat(test.log().barriersAsked).isEqualTo(asked + 1);
  }

  @Test
  void aNewLeaderSeesEverythingAtOnce() {
    for (int i = 0; i < 5; i++) {
      test.put("/a", "" + i);
      test.restart();
      assertThat(test.get("/a")).contains("" + i);
    }
  }

  // ---- rights

  @Test
  void rightsCountForEveryKindOfRead() {
    test.put("/secret/a", "1");
    now(
        test.node()
            .setAcl(
                Origin.NOBODY,
                Bytes.utf8("/secret"),
                List.of(new AclEntry("ann", true, true), new AclEntry("*", false, false))));
    assertThat(range("ann", RangeRead.of(key("/secret/a"))).keys()).hasSize(1);
    assertThatThrownBy(() -> range("bob", RangeRead.of(key("/secret/a"))))
        .isInstanceOf(DeniedException.class)
        .hasMessageContaining("bob");
    assertThatThrownBy(() -> range("bob", RangeRead.of(prefix("/"))))
        .isInstanceOf(DeniedException.class);
    assertThatThrownBy(() -> list("/secret")).isInstanceOf(DeniedException.class);
    assertThatThrownBy(() -> now(test.node().lockState("bob", Bytes.utf8("/secret/a"))))
        .isInstanceOf(DeniedException.class);
    assertThatThrownBy(() -> now(test.node().acl("bob", Bytes.utf8("/secret"))))
        .isInstanceOf(DeniedException.class);
    assertThat(now(test.node().acl("ann", Bytes.utf8("/secret/a")))).hasSize(2);
    String id = now(test.node().begin("bob", 0)).id();
    assertThatThrownBy(() -> now(test.node().readIn("bob", id, RangeRead.of(key("/secret/a")))))
        .isInstanceOf(DeniedException.class);
    assertThatThrownBy(
            () ->
                now(
                    test.node()
                        .transact(Origin.of("bob"), Transaction.of(putOf("/secret/a", "2")))))
        .isInstanceOf(DeniedException.class);
  }

  // ---- upkeep

  @Test
  void statusTellsHowTheMemberIs() {
    test.put("/a", "1");
    long session = test.session();
    now(test.acquire(session, "/lock"));
    test.begin();
    var status = test.node().status();
    assertThat(status.group()).isEqualTo("group");
    assertThat(status.standing().ready()).isTrue();
    assertThat(status.revision()).isEqualTo(2);
    assertThat(List.of(status.sessions(), status.locks(), status.transactions())).containsOnly(1);
  }

  @Test
  void aBackupIsWritten() throws IOException {
    test.put("/a", "1");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    test.node().backup(out);
    assertThat(out.size()).isPositive();
  }

  @Test
  void aClosedMemberSaysSo() {
    MetastoreNode node = test.node();
    node.close();
    for (CompletableFuture<?> asked :
        List.of(
            node.read("", RangeRead.of(key("/a")), Consistency.STALE),
            node.read("", RangeRead.of(key("/a")), Consistency.LINEARIZABLE),
            node.transact(Origin.NOBODY, Transaction.of(putOf("/a", "1"))),
            node.begin("", 0),
            node.keepAlive("", 1),
            node.acquire(
                new Origin("", 1, 1, 1), Bytes.utf8("/l"), true, Duration.ZERO, Duration.ZERO))) {
      assertThatThrownBy(() -> now(asked))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("closed");
    }
    assertThatThrownBy(node::status).isInstanceOf(UnavailableException.class);
  }
}
