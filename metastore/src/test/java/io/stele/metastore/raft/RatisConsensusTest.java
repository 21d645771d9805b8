package io.stele.metastore.raft;

import static io.stele.metastore.raft.TestMembers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.settings.ByteSize;
import io.stele.metastore.raft.TestMembers.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatisConsensusTest {
  @TempDir Path root;

  @Test
  void theLeaderTakesEntriesAndAFollowerSaysWhoLeads() {
    try (TestMembers members = new TestMembers(root)) {
      members.first(3);
      Node leader = members.start().leader();
      Position first = leader.put("a=1");
      Position second = leader.put("b=2");
      assertThat(second.index()).isEqualTo(first.index() + 1);
      assertThat(leader.replica.map()).containsEntry("a", "1").containsEntry("b", "2");
      assertThat(leader.replica.ledTerms()).containsExactly(first.term());
      leader.barrier().join();

      Node follower = members.other(leader);
      until(() -> follower.replica.map().size() == 2);
      assertThatThrownBy(() -> follower.put("c=3"))
          .cause()
          .isInstanceOfSatisfying(
              NotServingException.class,
              e -> assertThat(e.hint()).contains(leader.member.serviceAddress()));
      assertThatThrownBy(() -> follower.barrier().join())
          .hasCauseInstanceOf(NotServingException.class);
      Standing standing = follower.consensus().standing();
      assertThat(standing.role()).isEqualTo(Standing.Role.FOLLOWER);
      assertThat(standing.leader()).contains(leader.member);
      assertThat(standing.members()).hasSize(3).contains(follower.member);
      until(() -> follower.consensus().standing().applied() == second.index());
      assertThatThrownBy(() -> follower.consensus().currentTerm("m9"))
          .isInstanceOf(NotServingException.class);
    }
  }

  @Test
  void largeEntriesAreReplicatedAndTooLargeOnesRefused() {
    try (TestMembers members = new TestMembers(root)) {
      members.first(3);
      Node leader = members.start().leader();
      String value = "v".repeat(9 << 20);
      leader.put("big=" + value);
      leader.put("small=1");
      for (Node node : members.nodes.values()) {
        until(() -> node.replica.get("small").equals("1"));
        assertThat(node.replica.get("big")).hasSize(9 << 20);
      }
      assertThatThrownBy(() -> leader.put("huge=" + "v".repeat(16 << 20)))
          .hasCauseInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("at most 16MiB");
    }
  }

  /** A segment that a power failure leaves without a name takes along what was acknowledged. */
  @Test
  void theNameOfASegmentIsDurableBeforeAnEntryInItIsAcknowledged() throws IOException {
    try (TestMembers members = new TestMembers(root)) {
      Node only = members.first(1).getFirst();
      only.settings = only.settings.withLog(ByteSize.ofKiB(64), 100_000, 10_000);
      members.start().leader();
      RatisStorage storage = only.consensus().storage();
      Set<String> seen = new TreeSet<>();
      for (int i = 0; i < 20; i++) {
        only.put("k" + i + "=" + "v".repeat(20_000));
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files =
            Files.list(storage.directory().resolve(members.group + "/current"))) {
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.startsWith("log_inprogress"))
              .forEach(names::add);
        }
        assertThat(storage.syncedNames()).as("entry %d", i).containsAll(names);
        seen.addAll(names);
      }
      assertThat(seen).as("segments").hasSizeGreaterThan(3);
    }
  }

  @Test
  void aRestartKeepsWhatWasAcknowledgedAndAppliesItOnce() {
    try (TestMembers members = new TestMembers(root)) {
      Node only = members.first(1).getFirst();
      members.start().leader();
      List<Position> positions = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        positions.add(only.put("k" + i + "=" + i));
      }
      Position flushed = only.consensus().checkpoint();
      assertThat(flushed).isEqualTo(positions.getLast());
      only.put("late=1");
      only.stop();

      only.start();
      members.leader();
      assertThat(only.replica.log()).hasSize(1).first().asString().endsWith(" late=1");
      assertThat(only.replica.map()).hasSize(11);
      assertThat(only.put("after=1").term()).isGreaterThan(flushed.term());
    }
  }

  /** Otherwise all clients would wait for what a flush writes. */
  @Test
  void entriesAreAppliedDuringAFlushUntilTooManyAreNotFlushed() {
    CountDownLatch go = new CountDownLatch(1);
    try (TestMembers members = new TestMembers(root)) {
      Node only = members.first(1).getFirst();
      only.settings = only.settings.withLog(ByteSize.ofKiB(8), 20, 0);
      members.start().leader();
      CompletableFuture<Void> more;
      try {
        only.replica.beforeFlush = () -> awaitUninterruptibly(go);
        putSome(only, 0, 30);
        assertThat(only.replica.flushed()).isEqualTo(Position.START);
        more = CompletableFuture.runAsync(() -> putSome(only, 30, 100), TestMembers.THREADS);
        assertThat(more).failsWithin(Duration.ofMillis(500)).withThrowableOfType(Exception.class);
        assertThat(only.replica.map()).hasSizeLessThan(41);
      } finally {
        go.countDown();
      }
      assertThat(more).succeedsWithin(Duration.ofSeconds(60));
      until(() -> only.replica.flushed().index() > 60);
      // Ratis learns of it, and drops what is flushed.
      Path log = only.consensus().storage().directory().resolve(members.group + "/current");
      until(() -> !Files.exists(log.resolve("log_inprogress_0")) && !hasFirstSegment(log));
    }
  }

  private static void putSome(Node node, int from, int to) {
    for (int i = from; i < to; i++) {
      node.put("k" + i + "=" + "v".repeat(1000));
    }
  }

  private static boolean hasFirstSegment(Path log) {
    try (Stream<Path> files = Files.list(log)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith("log_0-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aMinorityMayDieAndComesBackWithEverything() {
    try (TestMembers members = new TestMembers(root)) {
      members.first(3);
      Node first = members.start().leader();
      first.put("a=1");
      first.stop();
      Node second = members.leader();
      // Its first barrier already covers what the one before acknowledged.
      second.barrier().join();
      assertThat(second.replica.get("a")).isEqualTo("1");
      second.put("b=2");
      first.start();
      until(() -> first.replica.map().size() == 2);
      assertThat(second.replica.ledTerms().getLast()).isGreaterThan(1);
    }
  }

  /**
   * A leader that is cut off and does not know it yet must not serve reads: others have elected
   * another one, which has acknowledged newer writes. Ratis' own linearizable reads fail here.
   */
  @Test
  void anIsolatedLeaderDoesNotServeReads() {
    try (TestMembers members = new TestMembers(root)) {
      Node old = members.first(3).getFirst();
      // It beats as fast as the others expect, but takes long to notice that nobody answers.
      old.settings =
          TestMembers.SETTINGS.withElection(Duration.ofMillis(500), Duration.ofSeconds(30));
      members.start().lead(old);
      old.put("a=old");
      old.barrier().join();

      members.network.isolate(old.member.id());
      Node young = members.leader();
      young.put("a=new");
      young.barrier().join();

      assertThat(old.consensus().standing().role())
          .as("still takes itself for the leader")
          .isEqualTo(Standing.Role.LEADER);
      assertThat(old.replica.get("a")).isEqualTo("old");
      assertThatThrownBy(() -> old.barrier().join())
          .cause()
          .isInstanceOf(NotServingException.class)
          .hasMessageContaining("cannot confirm");

      members.network.heal();
      until(() -> old.replica.get("a").equals("new"));
      assertThat(old.consensus().standing().ready()).isFalse();
    }
  }

  @Test
  void theFateOfAnEntryOfADeposedLeaderIsCalledUnknown() {
    try (TestMembers members = new TestMembers(root)) {
      members.first(3);
      Node old = members.start().leader();
      members.network.isolate(old.member.id());
      CompletableFuture<Position> lost = old.consensus().propose(Bytes.utf8("a=lost"));
      Node young = members.leader();
      young.put("a=kept");
      members.network.heal();
      assertThatThrownBy(lost::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(OutcomeUnknownException.class);
      until(() -> old.replica.get("a").equals("kept"));
      assertThat(old.replica.log()).noneMatch(line -> line.contains("lost"));
      until(() -> !old.replica.leads());
    }
  }

  @Test
  void aMemberBehindTheLogTakesOverACheckpoint() {
    try (TestMembers members = new TestMembers(root)) {
      members.first(3).forEach(node -> node.settings = TestMembers.shortLog());
      Node leader = members.start().leader();
      Node away = members.other(leader);
      leader.put("before=1");
      away.stop();
      for (int i = 0; i < 300; i++) {
        leader.put("k" + i + "=" + "v".repeat(100));
      }
      leader.consensus().checkpoint();
      leader.put("last=1");
      away.start();
      until(() -> away.replica.get("last").equals("1"));
      assertThat(away.replica.map()).isEqualTo(leader.replica.map());
      assertThat(away.replica.installs()).isPositive();
      until(() -> members.seen.stream().anyMatch(RaftEvent.CheckpointInstalled.class::isInstance));

      // What it took over is durable, and it takes part again.
      leader.put("next=1");
      until(() -> away.replica.get("next").equals("1"));
      away.stop();
      away.start();
      until(() -> away.replica.get("next").equals("1"));
    }
  }

  @Test
  void aCheckpointMayTakeLongToCome() {
    try (TestMembers members = new TestMembers(root)) {
      members.checkpointTakes = Duration.ofSeconds(2);
      Node one = members.first(1).getFirst();
      one.settings = TestMembers.shortLog();
      members.start().leader();
      for (int i = 0; i < 200; i++) {
        one.put("k" + i + "=" + "v".repeat(100));
      }
      Position checkpoint = one.consensus().checkpoint();
      Node two = members.newcomer("n2").start();
      one.consensus().changeMembers(List.of(one.member, two.member)).join();
      one.put("last=1");
      until(() -> two.replica.get("last").equals("1"));
      assertThat(two.replica.installs()).isEqualTo(1);
      // What the leader says of the members meanwhile is no entry of the log.
      assertThat(two.replica.skipped())
          .allSatisfy(skipped -> assertThat(skipped).isGreaterThan(checkpoint));
    }
  }

  @Test
  void membersAreAddedReplacedAndRemoved() {
    try (TestMembers members = new TestMembers(root)) {
      Node one = members.first(1).getFirst();
      members.start().leader();
      one.put("a=1");
      Node two = members.newcomer("n2").start();
      assertThat(two.consensus().standing().role()).isEqualTo(Standing.Role.OBSERVER);
      one.consensus().changeMembers(List.of(one.member, two.member)).join();
      until(() -> two.replica.get("a").equals("1"));
      Node three = members.newcomer("n3").start();
      one.consensus().changeMembers(List.of(one.member, two.member, three.member)).join();
      one.put("b=2");

      // One dies and another takes its place, in one change.
      two.stop();
      Node four = members.newcomer("n4").start();
      one.consensus().changeMembers(List.of(one.member, three.member, four.member)).join();
      until(() -> four.replica.get("b").equals("2"));
      assertThat(one.consensus().standing().members())
          .containsExactlyInAnyOrder(one.member, three.member, four.member);

      // The leader hands over and leaves.
      members.lead(three);
      three.consensus().changeMembers(List.of(three.member, four.member)).join();
      three.put("c=3");
      until(() -> four.replica.get("c").equals("3"));
      assertThat(three.consensus().standing().members()).hasSize(2);
      assertThatThrownBy(() -> three.consensus().changeMembers(List.of()).join())
          .hasCauseInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void aReplicaThatThrowsStopsItsMemberAndIsNotSkipped() {
    try (TestMembers members = new TestMembers(root)) {
      Node only = members.first(1).getFirst();
      members.start().leader();
      only.put("a=1");
      assertThatThrownBy(() -> only.put(MapReplica.POISON))
          .hasCauseInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> only.put("b=1")).hasCauseInstanceOf(NotServingException.class);
      until(() -> only.consensus().standing().role() == Standing.Role.OBSERVER);
      assertThat(only.replica.map()).containsOnlyKeys("a");
      until(() -> members.seen.stream().anyMatch(RaftEvent.MemberFailed.class::isInstance));
    }
  }
}
