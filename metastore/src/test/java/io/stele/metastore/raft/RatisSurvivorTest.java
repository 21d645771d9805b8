package io.stele.metastore.raft;

import static io.stele.metastore.raft.TestMembers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.raft.TestServers.Server;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One member of three is left: it goes on alone with all that it has. */
class RatisSurvivorTest {
  @TempDir Path root;

  @Test
  void theLastMemberBecomesAGroupOfItsOwn() throws IOException {
    try (TestServers servers = new TestServers(root)) {
      List<Server> three = List.of(servers.server("a"), servers.server("b"), servers.server("c"));
      three.forEach(Server::start);
      String old =
          three.getFirst().changes().bootstrap(three.stream().map(s -> s.address).toList());
      Server leader = servers.leader();
      for (int i = 0; i < 20; i++) {
        leader.put("k" + i + "=" + i);
      }
      Server survivor = three.stream().filter(server -> server != leader).findFirst().orElseThrow();
      until(() -> survivor.replica.map().size() == 20);
      survivor.crash();
      assertThatThrownBy(survivor::takeOver)
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("of the same group answers");
      three.forEach(Server::stop);

      String group = survivor.takeOver().orElseThrow();
      assertThat(group).isNotEqualTo(old);
      assertThat(survivor.replica.restores()).as("its ids jump").isEqualTo(1);
      survivor.start();
      assertThat(survivor.member().identity().group()).contains(group);
      assertThat(survivor.ready()).isTrue();
      assertThat(survivor.replica.map()).hasSize(20).containsEntry("k19", "19");
      survivor.put("after=1");
      survivor.crash();
      assertThat(survivor.takeOver()).as("it is alone already").isEqualTo(Optional.empty());
      survivor.start();
      assertThat(survivor.replica.get("after")).isEqualTo("1");

      Server newcomer = servers.server("d").start();
      survivor.add(newcomer);
      until(() -> newcomer.replica.get("after").equals("1"));
    }
  }

  @Test
  void aServerOfNoGroupHasNothingToTakeOver() {
    try (TestServers servers = new TestServers(root)) {
      Server server = servers.server("a").start();
      server.stop();
      assertThatThrownBy(server::takeOver)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("belongs to no group");
    }
  }
}
