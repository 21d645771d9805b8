package io.stele.metastore.raft;

import static io.stele.metastore.raft.TestMembers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.metastore.raft.TestServers.Server;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class GroupMemberTest {
  @TempDir Path root;

  private static GroupSettings alone() {
    return GroupSettings.DEFAULT.withRaft(TestMembers.SETTINGS);
  }

  @Test
  void aServerWithoutConfigurationIsAGroupOfItsOwn() {
    try (TestServers servers = new TestServers(root)) {
      Server server = servers.server("a");
      server.settings = alone();
      server.start();
      assertThat(server.ready()).isTrue();
      PeerIdentity identity = server.member().identity();
      assertThat(identity.group()).isPresent();
      server.put("a=1");
      server.crash();
      server.start();
      assertThat(server.member().identity()).isEqualTo(identity);
      assertThat(server.replica.get("a")).isEqualTo("1");
      assertThatThrownBy(() -> server.changes().bootstrap(List.of(server.address)))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining(identity.group().orElseThrow());
    }
  }

  @Test
  void aServerThatExpectsAGroupWaits() {
    try (TestServers servers = new TestServers(root)) {
      Server server = servers.server("a").start();
      assertThat(server.member().identity().group()).isEmpty();
      assertThat(server.member().standing().role()).isEqualTo(Standing.Role.OBSERVER);
      assertThatThrownBy(() -> server.put("a=1"))
          .hasCauseInstanceOf(NotServingException.class)
          .hasMessageContaining("belongs to no group");
      String id = server.id();
      server.crash();
      assertThat(server.start().id()).isEqualTo(id);
      String group = server.changes().bootstrap(List.of(server.address));
      assertThat(server.member().identity().group()).contains(group);
      assertThat(server.ready()).isTrue();
    }
  }

  /** It would stop at the first entry that it does not know. */
  @Test
  void aServerThatCannotApplyTheGroupsVersionIsNotTakenIn() {
    try (TestServers servers = new TestServers(root)) {
      Server server = servers.server("a");
      server.settings = alone();
      server.start();
      server.replica.version = 2;
      Server old = servers.server("b").start();
      assertThatThrownBy(() -> server.changes().add(old.address))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("can apply cluster versions up to 1, and the group is at 2");
      assertThat(old.member().identity().group()).isEmpty();
    }
  }

  @Test
  void threeServersBeginAGroupOnceAndKeepItOverRestarts() {
    try (TestServers servers = new TestServers(root)) {
      List<Server> three = three(servers);
      List<String> addresses = three.stream().map(server -> server.address).toList();
      String group = three.get(1).changes().bootstrap(addresses);
      Server leader = servers.leader();
      leader.put("a=1");
      leader.member().readBarrier().join();
      for (Server server : three) {
        assertThat(server.member().identity().group()).contains(group);
        assertThatThrownBy(() -> server.changes().bootstrap(addresses))
            .isInstanceOf(ConflictException.class)
            .hasMessageContaining(group);
        until(() -> server.replica.get("a").equals("1"));
      }
      three.parallelStream().forEach(Server::crash);
      three.parallelStream().forEach(Server::start);
      Server again = servers.leader();
      again.member().readBarrier().join();
      assertThat(again.replica.get("a")).isEqualTo("1");
    }
  }

  @Test
  void aGroupThatHalfBeganIsCompletedAfterARestart() {
    try (TestServers servers = new TestServers(root)) {
      List<Server> three = three(servers);
      List<String> addresses = three.stream().map(server -> server.address).toList();
      Server late = three.get(2);
      late.refusesToForm = true;
      GroupChanges<?> changes = three.getFirst().changes();
      assertThat(changes.bootstrap(addresses))
          .as("the group exists, so it did not fail")
          .isNotEmpty();
      assertThat(changes.isForming()).isTrue();
      assertThatThrownBy(changes::formOthers)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(late.address)
          .hasMessageNotContaining(three.get(1).address);
      servers.leader().put("a=1");
      late.refusesToForm = false;
      three.getFirst().crash();
      three.getFirst().start().changes().formOthers();
      until(() -> late.replica.get("a").equals("1"));
      assertThat(three.getFirst().changes().isForming()).isFalse();
    }
  }

  /** A member that forgot what it stored and voted for would undo what a majority had agreed on. */
  @Test
  void aMemberThatLostItsDirectoryDoesNotPassForTheOneItWas() {
    try (TestServers servers = new TestServers(root)) {
      List<Server> three = three(servers);
      three.getFirst().changes().bootstrap(three.stream().map(server -> server.address).toList());
      Server leader = servers.leader();
      leader.put("a=1");
      Server lost =
          three.stream()
              .filter(server -> server != leader && server != three.getFirst())
              .findFirst()
              .orElseThrow();
      Member member = lost.member().self();
      lost.stop();
      lost.files = new MemoryFileStore();
      lost.disk = new MapReplica.Disk();
      lost.id = Optional.of(member.id());
      lost.start();
      three.getFirst().changes().formOthers();
      assertThat(lost.member().identity().group()).isEmpty();
      Server now = servers.leader();
      assertThatThrownBy(() -> now.changes().add(lost.address))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining(member.id())
          .hasMessageContaining("empty directory");
      now.changes().remove(member.id());
      now.add(lost);
      until(() -> lost.replica.get("a").equals("1"));
    }
  }

  @Test
  void ofTwoBootstrapsAtOnceAtMostOneWins() {
    for (int round = 0; round < 20; round++) {
      try (TestServers servers = new TestServers(root.resolve("r" + round))) {
        List<Server> three = three(servers);
        List<String> addresses = three.stream().map(server -> server.address).toList();
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (Server server : three) {
          calls.add(CompletableFuture.supplyAsync(() -> server.changes().bootstrap(addresses)));
        }
        List<String> won = new ArrayList<>();
        for (CompletableFuture<String> call : calls) {
          try {
            won.add(call.join());
          } catch (RuntimeException e) {
            assertThat(e.getCause()).isInstanceOf(ConflictException.class);
          }
        }
        assertThat(won).hasSizeLessThanOrEqualTo(1);
        for (Server server : three) {
          assertThat(server.member().identity().group().stream().toList()).isEqualTo(won);
        }
        if (!won.isEmpty()) {
          return; // it is the same for the others, and starting groups takes time
        }
      }
    }
    throw new AssertionError("nobody ever won");
  }

  @Test
  void aServerThatBelongsToAGroupIsNotTakenIntoAnother() {
    try (TestServers servers = new TestServers(root)) {
      Server taken = servers.server("taken");
      taken.settings = alone();
      taken.start();
      String group = taken.member().identity().group().orElseThrow();
      Server free = servers.server("free").start();
      assertThatThrownBy(() -> free.changes().bootstrap(List.of(free.address, taken.address)))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining(taken.address)
          .hasMessageContaining(group);
      assertThat(free.member().identity().group()).isEmpty();
      assertThat(free.member().reserve("g")).isTrue();
      assertThat(free.member().reserve("h")).isFalse();
      free.member().release("g");
      assertThat(free.member().reserve("h")).isTrue();
      assertThatThrownBy(() -> free.member().form("g", free.id(), List.of()))
          .isInstanceOf(ConflictException.class);
      assertThatThrownBy(() -> taken.member().form("g", taken.id(), List.of()))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining(group);
      assertThatThrownBy(() -> free.member().form("h", "other", List.of()))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(free.id());
      Server dead = servers.server("dead");
      assertThatThrownBy(() -> free.changes().bootstrap(List.of(free.address, dead.address)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(dead.address);
      assertThatThrownBy(() -> free.changes().bootstrap(List.of(dead.address)))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(free.address);
    }
  }

  @Test
  void aGroupOfOneGrowsToThreeShrinksAndKeepsItsData() {
    try (TestServers servers = new TestServers(root)) {
      Server one = servers.server("one");
      one.settings = alone();
      one.start();
      for (int i = 0; i < 100; i++) {
        one.put("k" + i + "=" + i);
      }
      Position last = one.put("last=solo");
      String group = one.member().identity().group().orElseThrow();

      Server two = servers.server("two").start();
      one.add(two);
      Member second = two.member().self();
      Position next = one.put("first=raft");
      assertThat(next.term()).isGreaterThan(last.term());
      assertThat(next.index()).isGreaterThan(last.index());
      until(() -> two.replica.map().size() == 102);
      assertThat(one.files.list(SoloSegments.DIRECTORY)).isEmpty();
      assertThat(one.changes().add(two.address)).as("again").isEqualTo(second);

      Server three = servers.server("three").start();
      one.add(three);
      until(() -> three.replica.map().equals(one.replica.map()));
      assertThat(three.member().identity().group()).contains(group);
      assertThat(one.member().standing().members()).hasSize(3);

      // The one it began with dies, and another takes its place.
      String dead = one.id();
      one.stop();
      servers.servers.remove(one.address);
      Server leader = servers.leader();
      Server four = servers.server("four").start();
      leader.changes().replace(dead, four.address);
      until(() -> four.replica.map().equals(leader.replica.map()));
      assertThat(leader.member().standing().members())
          .extracting(Member::id)
          .containsExactlyInAnyOrder(two.id(), three.id(), four.id());

      assertThatThrownBy(() -> leader.changes().remove(dead))
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining(dead);
      String goes = leader.id();
      assertThatThrownBy(() -> leader.changes().remove(goes))
          .isInstanceOfSatisfying(NotServingException.class, e -> assertThat(e.hint()).isPresent());
      until(() -> !leader.ready());
      Server heir = servers.leader();
      heir.changes().remove(goes);
      assertThat(heir.member().standing().members()).extracting(Member::id).doesNotContain(goes);
      heir.put("end=1");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void growthThatCrashesBeforeItIsDecidedLeavesThePlainLog() {
    try (TestServers servers = new TestServers(root)) {
      Server one = servers.server("one");
      one.settings = alone();
      one.start();
      one.put("a=1");
      Server two = servers.server("two").start();
      one.files.failNth(StoreCall.REPLACE, 1, () -> new IOException("the disk is gone"));
      assertThatThrownBy(() -> one.changes().add(two.address))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("the disk is gone");
      assertThatThrownBy(() -> one.put("b=1")).hasCauseInstanceOf(NotServingException.class);
      one.crash();
      one.start();
      assertThat(one.ready()).isTrue();
      assertThat(one.replica.get("a")).isEqualTo("1");
      Position after = one.put("b=2");
      one.add(two);
      assertThat(one.put("c=3").term()).isGreaterThan(after.term());
      until(() -> two.replica.map().size() == 3);
    }
  }

  @Test
  void growthThatCrashesAfterItIsDecidedComesUpAsAReplicatedLog() throws IOException {
    try (TestServers servers = new TestServers(root)) {
      Server one = servers.server("one");
      one.settings = alone();
      one.start();
      Position solo = one.put("a=1");
      Server two = servers.server("two").start();
      int port = Integer.parseInt(one.raftAddress.substring(one.raftAddress.indexOf(':') + 1));
      try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getByName("0.0.0.0"))) {
        assertThat(taken.isBound()).isTrue();
        assertThatThrownBy(() -> one.changes().add(two.address)).isInstanceOf(SteleException.class);
      }
      assertThat(one.files.list(FilePath.of("log"))).as("not tidied up yet").isNotEmpty();
      one.crash();
      one.start();
      until(one::ready);
      assertThat(one.replica.get("a")).isEqualTo("1");
      assertThat(one.files.list(FilePath.of("log"))).isEmpty();
      assertThat(one.put("b=2").term()).isGreaterThan(solo.term());
      one.add(two);
      until(() -> two.replica.map().size() == 2);
    }
  }

  @Test
  void aMemberOfAReplicatedLogStaysWhereItsGroupKnowsIt() {
    try (TestServers servers = new TestServers(root)) {
      Server one = servers.server("one");
      one.settings = alone();
      one.start();
      Server two = servers.server("two").start();
      one.add(two);
      two.stop();
      Server moved = servers.server("two");
      moved.files = two.files;
      moved.disk = two.disk;
      assertThatThrownBy(moved::start)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(two.address)
          .hasMessageContaining(moved.address);
    }
  }

  private static List<Server> three(TestServers servers) {
    return List.of(
        servers.server("a").start(), servers.server("b").start(), servers.server("c").start());
  }
}
