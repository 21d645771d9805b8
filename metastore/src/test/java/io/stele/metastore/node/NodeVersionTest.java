package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.file.MemoryFileStore;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.RefusingLink;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import io.stele.metastore.state.StateSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The leader asks the others what they can apply, and what they have made of the log. */
class NodeVersionTest {
  private static final Duration SECONDS = Duration.ofSeconds(3);

  /** Another member: what it can apply, and the digest it would answer. */
  private static final class Other extends RefusingLink {
    Optional<Integer> version = Optional.empty();
    Optional<String> digest = Optional.empty();
    final List<Long> asked = new ArrayList<>();

    @Override
    public CompletableFuture<PeerIdentity> identify(String serviceAddress) {
      return version
          .map(
              can ->
                  CompletableFuture.completedFuture(
                      new PeerIdentity(ManualLog.OTHER, Optional.of("group"), can)))
          .orElseGet(() -> CompletableFuture.failedFuture(new IOException("away")));
    }

    @Override
    public CompletableFuture<Optional<String>> fingerprint(Member peer, long index) {
      asked.add(index);
      return CompletableFuture.completedFuture(digest);
    }
  }

  private final Other other = new Other();

  private static int version(TestNode node) {
    return node.node().replica().version();
  }

  private static void pass(TestNode node) {
    node.clock.advance(SECONDS);
    node.node().tick();
  }

  @Test
  void theVersionIsRaisedWhenAllMembersCanApplyIt() {
    try (TestNode node = TestNode.ofTwo(NodeSettings.DEFAULT, other)) {
      pass(node);
      assertThat(version(node)).as("the other does not answer").isEqualTo(1);
      other.version = Optional.of(1);
      pass(node);
      assertThat(version(node)).as("the other is older").isEqualTo(1);
      other.version = Optional.of(99);
      pass(node);
      assertThat(version(node)).isEqualTo(ClusterVersion.NEWEST);
      int before = node.log().proposed;
      pass(node);
      assertThat(node.log().proposed).as("once").isEqualTo(before);
      assertThat(node.seen).contains(new NodeEvent.VersionSet(ClusterVersion.NEWEST));
    }
  }

  @Test
  void aMemberThatIsHeldBackStaysAtItsVersion() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    for (int newest : new int[] {1, 2, 1}) {
      Events events = new Events((_, _) -> {});
      try (MetastoreNode node =
          new MetastoreNode.Builder(
                  files,
                  state -> SoloLog.open(files, ManualLog.SELF, state, SoloSettings.DEFAULT, events))
              .settings(NodeSettings.DEFAULT.withoutTicks())
              .state(StateSettings.DEFAULT.withNewestVersion(newest))
              .open()) {
        assertThat(node.replica().newestVersion()).isEqualTo(newest);
        int before = node.replica().version();
        node.tick();
        await("a version").until(() -> node.replica().version() == Math.max(before, newest));
      }
    }
    assertThatThrownBy(() -> StateSettings.DEFAULT.withNewestVersion(ClusterVersion.NEWEST + 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("must be from 1 to " + ClusterVersion.NEWEST);
  }

  @Test
  void commandsThatAMemberCannotApplyAreNotProposed() {
    try (TestNode node = TestNode.ofTwo(NodeSettings.DEFAULT, other)) {
      other.version = Optional.of(1);
      long first = node.session();
      assertThat(expiry(node)).isEqualTo(new Command.ExpireSession(first, 0));
      other.version = Optional.of(2);
      pass(node);
      long second = node.session();
      assertThat(expiry(node)).isEqualTo(new Command.ExpireSession(second, 1));
    }
  }

  /** What the leader proposes when the newest session's time is over; it is applied, too. */
  private static Command expiry(TestNode node) {
    node.log().automatic = false;
    node.clock.advance(TTL.plusSeconds(1));
    node.node().tick();
    List<Command> proposed =
        node.log().entries.stream().flatMap(entry -> entry.commands().stream()).toList();
    node.log().automatic = true;
    node.log().applyAll();
    return proposed.stream()
        .filter(Command.ExpireSession.class::isInstance)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void fingerprintsThatDifferRaiseAnEvent() {
    NodeSettings settings = NodeSettings.DEFAULT.withFingerprints(Duration.ofMinutes(1));
    try (TestNode node = TestNode.ofTwo(settings, other)) {
      other.version = Optional.of(2);
      pass(node);
      node.put("/a", "1");
      node.clock.advance(Duration.ofMinutes(1));
      node.node().tick();
      await()
          .untilAsserted(
              () -> {
                pass(node);
                assertThat(other.asked).isNotEmpty();
              });
      assertThat(node.seen).noneMatch(NodeEvent.FingerprintsDiffer.class::isInstance);
      other.digest = Optional.of("another");
      pass(node);
      assertThat(node.seen)
          .filteredOn(NodeEvent.FingerprintsDiffer.class::isInstance)
          .singleElement()
          .satisfies(
              event ->
                  assertThat(event.text())
                      .contains("the state of member other differs")
                      .contains("another")
                      .contains("log entry " + other.asked.getLast()));
      int asked = other.asked.size();
      pass(node);
      assertThat(other.asked).as("once for each round").hasSize(asked);
    }
  }

  @Test
  void fingerprintsThatAgreeRaiseNone() {
    NodeSettings settings = NodeSettings.DEFAULT.withFingerprints(Duration.ofMinutes(1));
    try (TestNode node = TestNode.ofTwo(settings, other)) {
      other.version = Optional.of(2);
      pass(node);
      node.put("/a", "1");
      node.clock.advance(Duration.ofMinutes(1));
      node.node().tick();
      await()
          .untilAsserted(
              () -> {
                pass(node);
                assertThat(other.asked).isNotEmpty();
              });
      other.digest = node.node().replica().fingerprint(other.asked.getLast());
      assertThat(other.digest).isPresent();
      pass(node);
      assertThat(node.seen).noneMatch(NodeEvent.FingerprintsDiffer.class::isInstance);
    }
  }
}
