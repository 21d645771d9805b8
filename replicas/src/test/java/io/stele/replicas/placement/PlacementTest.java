package io.stele.replicas.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import io.stele.replicas.metadata.Coordination.LiveServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private final Placement placement = new Placement(RandomSource.seeded(1));

  private static LiveServer server(String id, long free) {
    return new LiveServer(id, "host-" + id, free, 1000);
  }

  @Test
  void serversAreDistinct() {
    List<LiveServer> live =
        List.of(server("a", 900), server("b", 100), server("c", 100), server("d", 100));
    for (int i = 0; i < 200; i++) {
      assertThat(placement.choose(3, live)).hasSize(3).doesNotHaveDuplicates();
    }
  }

  @Test
  void tooFewServersAreAnError() {
    assertThatThrownBy(() -> placement.choose(3, List.of(server("a", 1), server("b", 1))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("3 replicas need as many servers: 2 are live");
    assertThatThrownBy(() -> placement.choose(1, List.of()))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void chanceIsInProportionToFreeSpace() {
    List<LiveServer> live = List.of(server("a", 600), server("b", 300), server("c", 100));
    Map<String, Integer> drawn = new HashMap<>();
    int rounds = 20_000;
    for (int i = 0; i < rounds; i++) {
      drawn.merge(placement.choose(1, live).getFirst().id(), 1, Integer::sum);
    }
    assertThat(drawn.get("a") / (double) rounds).isCloseTo(0.6, within(0.02));
    assertThat(drawn.get("b") / (double) rounds).isCloseTo(0.3, within(0.02));
    assertThat(drawn.get("c") / (double) rounds).isCloseTo(0.1, within(0.02));
  }

  @Test
  void nearlyFullServersComeLast() {
    List<LiveServer> live =
        List.of(server("full", 49), server("fuller", 0), server("a", 51), server("b", 50));
    for (int i = 0; i < 200; i++) {
      assertThat(placement.choose(2, live)).extracting(LiveServer::id).containsOnly("a", "b");
      assertThat(placement.choose(3, live)).extracting(LiveServer::id).contains("a", "b");
    }
    assertThat(placement.choose(4, live)).hasSize(4);
  }

  private static LiveServer server(String id, String rack) {
    return new LiveServer(id, "host-" + id, 500, 1000, Optional.of(rack));
  }

  @Test
  void racksAreDifferentAsFarAsThereAreEnough() {
    List<LiveServer> live =
        List.of(
            server("a", "x"),
            server("b", "x"),
            server("c", "x"),
            server("d", "y"),
            server("e", "y"),
            server("f", 500)); // shares nothing with others
    for (int i = 0; i < 200; i++) {
      assertThat(placement.choose(3, live)).extracting(LiveServer::place).doesNotHaveDuplicates();
      List<LiveServer> four = placement.choose(4, live);
      assertThat(four).extracting(LiveServer::place).contains("rack x", "rack y", "server f");
      assertThat(placement.order(live, Set.of("a", "d"), Set.of("d")).getFirst().place())
          .as("beside d")
          .isNotEqualTo("rack y");
      assertThat(placement.order(live.subList(0, 5), Set.of("a"), Set.of("a")).getFirst().id())
          .isIn("d", "e");
    }
  }

  @Test
  void aRackIsNoReasonToTakeAServerThatIsNearlyFull() {
    List<LiveServer> live =
        List.of(
            server("a", "x"),
            server("b", "x"),
            new LiveServer("full", "host-full", 10, 1000, Optional.of("y")));
    for (int i = 0; i < 50; i++) {
      assertThat(placement.choose(2, live)).extracting(LiveServer::id).containsOnly("a", "b");
    }
  }

  @Test
  void serversThatHaveItAreLeftOut() {
    List<LiveServer> live = List.of(server("a", 500), server("b", 500), server("c", 500));
    assertThat(placement.order(live, Set.of("a", "c"), List.of()))
        .extracting(LiveServer::id)
        .containsExactly("b");
  }
}
