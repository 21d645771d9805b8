package io.stele.replicas.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.MetadataCluster;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class KeeperTest {
  private static final Duration GRACE = Duration.ofMinutes(10);
  private static final Duration METADATA_GRACE = Duration.ofSeconds(30);

  private final MetadataCluster cluster = new MetadataCluster("a", "b", "c", "d", "e");
  private final Metadata first = cluster.create("t", "b", "c", "d");
  private final List<KeeperEvent> events = new ArrayList<>();
  private final Keeper keeper = keeper("a");

  private final Map<String, Long> bytes = new HashMap<>(); // of partitions

  private OptionalLong sizeOf(Partition partition) {
    Long known = bytes.get(partition.id());
    return known == null ? OptionalLong.empty() : OptionalLong.of(known);
  }

  private Keeper keeper(String server) {
    cluster.service.lead(server);
    return new Keeper(
        cluster.server(server),
        cluster.service.of(server),
        cluster.network.from(MetadataCluster.address(server))::metadata,
        cluster.clock,
        cluster.random,
        (_, partition) -> sizeOf(partition),
        events::add,
        KeeperSettings.DEFAULT.withDeadAfter(GRACE, METADATA_GRACE));
  }

  private Metadata valid() {
    return cluster.server("a").cache().refresh("id-t").orElseThrow().metadata();
  }

  private Partition partition() {
    return valid().partitions().getFirst();
  }

  private List<String> metadataServers() {
    return cluster.service.config("t").metadataServers();
  }

  private void change(MetadataChange.Operation operation) {
    cluster
        .server("a")
        .requester()
        .change(
            "id-t",
            new Function<>() {
              private boolean asked;

              @Override
              public Optional<MetadataChange.Operation> apply(Metadata valid) {
                boolean again = asked;
                asked = true;
                return again ? Optional.empty() : Optional.of(operation);
              }
            });
  }

  /** Rounds as they come, for a time. */
  private void pass(Duration time) {
    for (Duration at = Duration.ZERO;
        at.compareTo(time) < 0;
        at = at.plus(Duration.ofSeconds(10))) {
      keeper.round();
      cluster.clock.advance(Duration.ofSeconds(10));
    }
    keeper.round();
  }

  // ---- members

  @Test
  void nothingIsToBeDone() {
    pass(GRACE.multipliedBy(2));
    assertThat(valid()).isEqualTo(first);
    assertThat(metadataServers()).containsExactly("b", "c", "d");
    assertThat(events).isEmpty();
  }

  @Test
  void deadMemberIsReplacedAfterTheGraceAndNotBefore() {
    cluster.stop("b");
    pass(GRACE.minusSeconds(10));
    assertThat(partition().joining()).isEmpty();
    pass(Duration.ofSeconds(10));
    Partition partition = partition();
    assertThat(partition.members()).isEqualTo(first.partitions().getFirst().members());
    assertThat(partition.joining()).hasSize(1);
    assertThat(partition.joining().getFirst().replaces()).contains("t-b");
    assertThat(partition.joining().getFirst().assignment().server()).isIn("a", "e");
    pass(GRACE);
    assertThat(partition().joining()).as("once").hasSize(1);
    assertThat(events).hasSize(1).allMatch(each -> each instanceof KeeperEvent.Replacing);
  }

  @Test
  void serverThatCameBackInTimeIsWaitedForAnew() {
    cluster.stop("b");
    pass(GRACE.minusSeconds(10));
    cluster.start("b");
    pass(Duration.ofSeconds(10));
    cluster.stop("b");
    pass(GRACE.minusSeconds(10));
    assertThat(partition().joining()).isEmpty();
  }

  @Test
  void onlyWhoLeadsActs() {
    cluster.stop("b");
    pass(Duration.ofSeconds(10));
    cluster.service.lead("e");
    pass(GRACE.plusSeconds(10));
    assertThat(partition().joining()).isEmpty();
    cluster.service.lead("a");
    pass(GRACE.minusSeconds(10));
    assertThat(partition().joining()).as("a new leader waits the whole time").isEmpty();
    pass(Duration.ofSeconds(10));
    assertThat(partition().joining()).hasSize(1);
  }

  @Test
  void serverThatDiesWhileItJoinsIsGivenUp() {
    cluster.stop("b");
    pass(GRACE);
    String joining = partition().joining().getFirst().assignment().server();
    String other = joining.equals("e") ? "a" : "e";
    if (joining.equals("a")) {
      // The one that leads must live; so let the other one be the one that joins.
      change(
          new MetadataChange.Leave(
              "t-p", List.of(partition().joining().getFirst().assignment().id())));
      change(new MetadataChange.Join("t-p", new Assignment("e", "t-e"), Optional.of("t-b")));
      joining = "e";
      other = "a";
    }
    cluster.stop(joining);
    pass(GRACE);
    assertThat(partition().joining()).hasSize(1);
    assertThat(partition().joining().getFirst().assignment().server()).isEqualTo(other);
    assertThat(partition().joining().getFirst().replaces()).contains("t-b");
    assertThat(events).anyMatch(each -> each instanceof KeeperEvent.GivenUp);
  }

  @Test
  void lastCopyIsKeptThoughItsServerIsDead() {
    cluster.stop("b");
    cluster.stop("c");
    cluster.stop("d");
    pass(GRACE.multipliedBy(3));
    assertThat(cluster.service.config("t").metadataTxn()).isEqualTo("t-0");
    cluster.start("b");
    cluster.start("c");
    cluster.start("d");
    cluster.round();
    assertThat(valid()).isEqualTo(first);
    // All copies but one are dead: they are replaced, but leave only when that has happened.
    cluster.stop("c");
    cluster.stop("d");
    pass(GRACE.multipliedBy(2));
    assertThat(partition().members()).isEqualTo(first.partitions().getFirst().members());
    assertThat(partition().joining())
        .extracting(each -> each.replaces().orElse(""))
        .containsExactlyInAnyOrder("t-c", "t-d");
  }

  @Test
  void nobodyIsLeftToReplaceTheDead() {
    cluster.stop("a");
    cluster.stop("e");
    Keeper other = keeper("c");
    cluster.stop("b");
    for (int i = 0; i < 3; i++) {
      other.round();
      cluster.clock.advance(GRACE);
    }
    Metadata valid = cluster.server("c").cache().refresh("id-t").orElseThrow().metadata();
    assertThat(valid).isEqualTo(first);
    // A wiped server comes back under another name, and is just one more.
    cluster.start("f");
    other.round();
    Metadata replaced = cluster.server("c").cache().refresh("id-t").orElseThrow().metadata();
    assertThat(replaced.partitions().getFirst().joining().getFirst().assignment().server())
        .isEqualTo("f");
  }

  @Test
  void partitionWithTooFewCopiesGetsMore() {
    change(new MetadataChange.Leave("t-p", List.of("t-c")));
    keeper.round();
    assertThat(partition().members()).hasSize(2);
    assertThat(partition().joining()).hasSize(1);
    assertThat(partition().joining().getFirst().replaces()).isEmpty();
  }

  @Test
  void deadMembersOfHalvesAreReplacedAtOnce() {
    change(
        new MetadataChange.BeginSplit(
            "t-p",
            new Partition.Split(
                Bytes.utf8("m"),
                new Partition.Half("low", List.of(new Assignment("b", "l1"))),
                new Partition.Half("up", List.of(new Assignment("c", "u1"))))));
    cluster.stop("b");
    pass(GRACE);
    Partition.Split split = partition().split().orElseThrow();
    assertThat(split.lower().members()).hasSize(1);
    assertThat(split.lower().members().getFirst().server()).isNotEqualTo("b");
    assertThat(split.upper().members()).containsExactly(new Assignment("c", "u1"));
    assertThat(partition().joining()).hasSize(1);
  }

  @Test
  void theReplacementIsOnARackThatTheOthersAreNotOn() {
    for (String server : List.of("a", "b", "c", "d", "e")) {
      String rack = server.equals("e") ? "z" : server.equals("a") ? "x" : "of " + server;
      String shared = server.equals("c") ? "x" : rack; // by a and c
      cluster.service.live(
          new LiveServer(server, MetadataCluster.address(server), 500, 1000, Optional.of(shared)));
    }
    cluster.stop("b");
    pass(GRACE);
    assertThat(partition().joining().getFirst().assignment().server()).isEqualTo("e");
  }

  // ---- balance

  private void split(String partition, String at, String lower, String upper) {
    List<Assignment> members =
        valid().partition(partition).orElseThrow().members().stream()
            .map(each -> new Assignment(each.server(), each.id() + at))
            .toList();
    change(
        new MetadataChange.BeginSplit(
            partition,
            new Partition.Split(
                Bytes.utf8(at),
                new Partition.Half(lower, members),
                new Partition.Half(
                    upper,
                    members.stream()
                        .map(each -> new Assignment(each.server(), each.id() + "+"))
                        .toList()))));
    change(new MetadataChange.FinalizeSplit(partition, lower, upper));
  }

  private List<Partition.Joining> moves() {
    return valid().partitions().stream().flatMap(each -> each.joining().stream()).toList();
  }

  @Test
  void replicasMoveOneAtATimeUntilServersHaveAlike() {
    split("t-p", "m", "low", "up");
    keeper.round();
    assertThat(moves()).hasSize(1);
    Partition.Joining move = moves().getFirst();
    assertThat(move.assignment().server()).isIn("a", "e");
    assertThat(move.replaces()).isPresent();
    keeper.round();
    assertThat(moves()).as("no other before it is done").containsExactly(move);
    assertThat(events).hasSize(1).allMatch(each -> each instanceof KeeperEvent.Moving);
    String partition =
        valid().partitions().stream()
            .filter(each -> !each.joining().isEmpty())
            .findFirst()
            .orElseThrow()
            .id();
    change(new MetadataChange.FinalizeJoin(partition, move.assignment().id()));
    keeper.round();
    assertThat(moves()).as("the next").hasSize(1);
    assertThat(moves().getFirst().assignment().server())
        .isIn("a", "e")
        .isNotEqualTo(move.assignment().server());
  }

  @Test
  void aMoveToAServerThatIsNotLiveAnyMoreIsGivenUpAtOnce() {
    cluster.service.live(new LiveServer("a", MetadataCluster.address("a"), 1, 1000)); // full
    split("t-p", "m", "low", "up");
    keeper.round();
    assertThat(moves()).extracting(each -> each.assignment().server()).containsExactly("e");
    cluster.stop("e");
    keeper.round();
    assertThat(moves()).isEmpty();
    assertThat(events).anyMatch(each -> each instanceof KeeperEvent.GivenUp);
    assertThat(valid().partitions()).allMatch(each -> each.members().size() == 3);
  }

  @Test
  void whatIsBeingSplitOrHasDeadMembersStays() {
    split("t-p", "m", "low", "up");
    cluster.stop("b");
    pass(GRACE.minusSeconds(10));
    assertThat(moves()).isEmpty();
    assertThat(events).noneMatch(each -> each instanceof KeeperEvent.Moving);
  }

  // ---- metadata servers

  @Test
  void deadMetadataServerIsReplaced() {
    cluster.stop("b");
    pass(METADATA_GRACE.minusSeconds(10));
    assertThat(metadataServers()).as("refilled at once").hasSize(4).contains("b");
    pass(Duration.ofSeconds(10));
    assertThat(metadataServers()).hasSize(3).doesNotContain("b");
    for (String server : metadataServers()) {
      assertThat(cluster.server(server).fetch("id-t", "t-0")).isPresent();
    }
  }

  @Test
  void metadataServersAreAsManyAsLive() {
    cluster.stop("b");
    cluster.stop("c");
    cluster.stop("e");
    pass(METADATA_GRACE);
    assertThat(metadataServers()).containsExactlyInAnyOrder("a", "d");
    cluster.start("c");
    keeper.round();
    assertThat(metadataServers()).containsExactlyInAnyOrder("a", "c", "d");
  }

  @Test
  void metadataServersAreNeverNone() {
    cluster.stop("b");
    cluster.stop("c");
    cluster.stop("d");
    pass(GRACE.multipliedBy(2));
    assertThat(metadataServers()).containsExactly("b", "c", "d");
    cluster.start("c");
    cluster.round();
    pass(METADATA_GRACE);
    assertThat(metadataServers()).containsExactlyInAnyOrder("a", "c", "e");
  }

  @Test
  void metadataServerThatHasTheFileStaysThoughDead() {
    cluster.stop("d");
    cluster
        .server("b")
        .change(
            "id-t",
            new MetadataChange(
                "t-0",
                "1",
                new MetadataChange.Join("t-p", new Assignment("e", "t-e"), Optional.empty())));
    cluster.stop("b");
    cluster.stop("c");
    cluster.start("d");
    pass(METADATA_GRACE.multipliedBy(2));
    assertThat(metadataServers()).containsExactly("b", "c", "d");
    assertThat(events).anyMatch(each -> each instanceof KeeperEvent.Failed);
  }

  @Test
  void serviceThatIsAwayEndsARoundOnly() {
    cluster.stop("b");
    pass(GRACE.minusSeconds(10));
    cluster.service.fail("a", 1);
    assertThatThrownBy(keeper::round).isInstanceOf(UnavailableException.class);
    pass(Duration.ofSeconds(10));
    assertThat(partition().joining()).hasSize(1);
  }
}
