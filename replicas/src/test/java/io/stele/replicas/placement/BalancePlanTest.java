package io.stele.replicas.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.placement.BalancePlan.Move;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BalancePlanTest {
  private static final long MIB = 1 << 20;

  private final Map<String, Long> bytes = new HashMap<>();

  private static LiveServer server(String id) {
    return new LiveServer(id, "host-" + id, 500, 1000);
  }

  private static List<LiveServer> servers(int count) {
    return IntStream.range(0, count).mapToObj(i -> server("s" + i)).toList();
  }

  /** A table whose partitions are on these servers, each a text of names. */
  private static Metadata table(String table, String... partitions) {
    List<Partition> all = new ArrayList<>();
    for (int i = 0; i < partitions.length; i++) {
      String id = table + i;
      all.add(
          new Partition(
              id,
              row(i),
              i == partitions.length - 1 ? Optional.empty() : Optional.of(row(i + 1)),
              List.of(partitions[i].split(" ")).stream()
                  .map(each -> new Assignment(each, id + "-" + each))
                  .toList(),
              List.of(),
              Optional.empty()));
    }
    return new Metadata(table, "txn", 1, all);
  }

  private static Bytes row(int i) {
    return i == 0 ? Bytes.EMPTY : Bytes.utf8("%06d".formatted(i));
  }

  private Optional<Move> next(List<LiveServer> live, Metadata... tables) {
    return new BalancePlan(live, List.of(tables), bytes).next();
  }

  private static Metadata moved(Metadata table, Move move) {
    return new Metadata(
        table.table(),
        "txn",
        table.sequence() + 1,
        table.partitions().stream()
            .map(
                each ->
                    each.id().equals(move.partition())
                        ? new Partition(
                            each.id(),
                            each.first(),
                            each.last(),
                            each.members().stream()
                                .map(
                                    member ->
                                        member.equals(move.from())
                                            ? new Assignment(move.to().id(), member.id() + "+")
                                            : member)
                                .toList(),
                            List.of(),
                            Optional.empty())
                        : each)
            .toList());
  }

  private static Map<String, Long> counts(Metadata... tables) {
    return List.of(tables).stream()
        .flatMap(table -> table.partitions().stream())
        .flatMap(each -> each.members().stream())
        .collect(Collectors.groupingBy(Assignment::server, TreeMap::new, Collectors.counting()));
  }

  @Test
  void whatCannotBeMoreEvenStays() {
    assertThat(next(servers(5), table("t", "s0 s1 s2"))).isEmpty();
    assertThat(next(servers(3), table("t", "s0 s1 s2", "s0 s1 s2"))).isEmpty();
    assertThat(next(servers(2), table("t", "s0", "s0", "s1"))).isEmpty();
  }

  @Test
  void theServerWithMostGivesToTheOneWithLeast() {
    Move move = next(servers(4), table("t", "s0 s1", "s0 s1", "s0 s2", "s0 s2")).orElseThrow();
    assertThat(move.from().server()).isEqualTo("s0");
    assertThat(move.to().id()).isEqualTo("s3");
  }

  @Test
  void bytesCountAsMuchAsReplicas() {
    Metadata table = table("t", "s0", "s0", "s1", "s1");
    assertThat(next(servers(2), table)).isEmpty();
    bytes.putAll(Map.of("t0", 400 * MIB, "t1", 400 * MIB, "t2", 1L, "t3", 1L));
    Move move = next(servers(2), table).orElseThrow();
    assertThat(move.from().server()).isEqualTo("s0");
    assertThat(move.to().id()).isEqualTo("s1");
  }

  @Test
  void aTableIsSpreadThoughServersHaveAlike() {
    Metadata one = table("t", "s0", "s0", "s0", "s0");
    Metadata other = table("u", "s1", "s1", "s1", "s1");
    assertThat(next(servers(2), one, other)).isPresent();
  }

  @Test
  void aPartitionThatIsNotAtRestStays() {
    Metadata table = table("t", "s0 dead", "s0 dead", "s0 dead");
    assertThat(next(servers(3), table)).as("a member is not live").isEmpty();
    List<Partition> joining =
        table("t", "s0", "s0", "s0").partitions().stream()
            .map(
                each ->
                    new Partition(
                        each.id(),
                        each.first(),
                        each.last(),
                        each.members(),
                        List.of(
                            new Partition.Joining(
                                new Assignment("s1", each.id() + "-j"),
                                Optional.of(each.members().getFirst().id()))),
                        Optional.empty()))
            .toList();
    BalancePlan plan =
        new BalancePlan(servers(2), List.of(new Metadata("t", "txn", 1, joining)), bytes);
    assertThat(plan.underWay()).isEqualTo(3);
    assertThat(plan.next()).isEmpty();
  }

  @Test
  void aServerThatIsNearlyFullGetsNothing() {
    List<LiveServer> live = List.of(server("s0"), new LiveServer("s1", "host-s1", 10, 1000));
    assertThat(next(live, table("t", "s0", "s0", "s0"))).isEmpty();
  }

  private static LiveServer server(String id, String rack) {
    return new LiveServer(id, "host-" + id, 500, 1000, Optional.of(rack));
  }

  @Test
  void replicasComeToDifferentRacksWhateverServersHave() {
    List<LiveServer> live =
        List.of(server("s0", "x"), server("s1", "x"), server("s2", "y"), server("s3", "z"));
    Metadata table = table("t", "s0 s1 s2");
    Move move = next(live, table).orElseThrow();
    assertThat(move.from().server()).isIn("s0", "s1");
    assertThat(move.to().id()).isEqualTo("s3");
    assertThat(next(live, moved(table, move))).as("then there is nothing to do").isEmpty();
  }

  @Test
  void balanceBringsNoTwoReplicasToOneRack() {
    List<LiveServer> live = List.of(server("s0", "x"), server("s1", "y"), server("s2", "y"));
    Metadata table = table("t", "s0 s1", "s0 s1", "s0 s1", "s0 s1");
    Move move = next(live, table).orElseThrow();
    assertThat(move.from().server()).as("that of s0 would share a rack").isEqualTo("s1");
    assertThat(move.to().id()).isEqualTo("s2");
  }

  /** Whatever there is: moves end, and then no server has much more than another. */
  @Test
  void movesEnd() {
    RandomGenerator random = RandomSource.seeded(7);
    for (int run = 0; run < 50; run++) {
      List<LiveServer> live = servers(2 + random.nextInt(6)); // without racks
      int replicas = 1 + random.nextInt(Math.min(3, live.size()));
      String few =
          IntStream.range(0, replicas).mapToObj(i -> "s" + i).collect(Collectors.joining(" "));
      String[] partitions = new String[5 + random.nextInt(40)];
      bytes.clear();
      for (int i = 0; i < partitions.length; i++) {
        partitions[i] = few;
        bytes.put("t" + i, (100 + random.nextInt(20)) * MIB);
      }
      Metadata table = table("t", partitions);
      int moves = 0;
      Optional<Move> next = next(live, table);
      while (next.isPresent()) {
        assertThat(++moves).as("moves of run %d", run).isLessThan(500);
        table = moved(table, next.get());
        next = next(live, table);
      }
      Map<String, Long> counts = counts(table);
      long most = counts.values().stream().mapToLong(each -> each).max().orElseThrow();
      long least =
          live.stream().mapToLong(each -> counts.getOrDefault(each.id(), 0L)).min().orElseThrow();
      assertThat(most - least).as("run %d: %s", run, counts).isLessThanOrEqualTo(2);
      table
          .partitions()
          .forEach(each -> assertThat(each.members()).hasSize(replicas)); // on as many servers
    }
  }
}
