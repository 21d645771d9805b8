package io.stele.tables.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.master.BalancePolicy.Holding;
import io.stele.tables.master.BalancePolicy.PlannedMove;
import io.stele.tables.master.BalancePolicy.Weight;
import io.stele.tables.master.JoinPolicy.Candidate;
import io.stele.tables.master.JoinPolicy.Pair;
import io.stele.tables.master.JoinPolicy.PlannedJoin;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletKey;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class JoinPolicyTest {
  private static final long MB = 1 << 20;
  private static final long BELOW = CompactSettings.DEFAULT.joinBytes();
  private static final LiveServer A = new LiveServer("a", "a:1");
  private static final LiveServer B = new LiveServer("b", "b:1");
  private static final int ANY = Integer.MAX_VALUE;

  /** A tablet with the rows after one up to another; an empty last row for no end. */
  private static Candidate tablet(
      String table, String first, String last, LiveServer server, long bytes, double perSecond) {
    Optional<Bytes> end = last.isEmpty() ? Optional.empty() : Optional.of(Bytes.utf8(last));
    return new Candidate(new TabletKey(table, end), Bytes.utf8(first), server, bytes, perSecond);
  }

  private static Candidate tablet(String first, String last, LiveServer server, long bytes) {
    return tablet("t", first, last, server, bytes, 0);
  }

  private static List<String> names(List<Pair> pairs) {
    return pairs.stream().map(pair -> pair.lower().tablet().last().orElseThrow().toUtf8()).toList();
  }

  @Test
  void smallNeighboursOfTwoServersAreAPair() {
    List<Candidate> tablets =
        List.of(
            tablet("m", "", A, MB),
            tablet("g", "m", B, MB),
            tablet("", "c", A, BELOW - MB),
            tablet("c", "g", B, MB - 1));
    assertThat(names(JoinPolicy.pairs(tablets, BELOW)))
        .as("(c, g] and (g, m] are on one server")
        .containsExactly("c", "m");
  }

  @Test
  void othersAreNot() {
    assertThat(JoinPolicy.pairs(List.of(tablet("", "c", A, BELOW), tablet("c", "", B, 0)), BELOW))
        .as("too large")
        .isEmpty();
    assertThat(JoinPolicy.pairs(List.of(tablet("", "c", A, 0), tablet("d", "", B, 0)), BELOW))
        .as("between them is one that nobody knows the size of")
        .isEmpty();
    assertThat(
            JoinPolicy.pairs(
                List.of(tablet("t", "", "c", A, 0, 150), tablet("t", "c", "", B, 0, 51)), BELOW))
        .as("busy")
        .isEmpty();
    assertThat(
            JoinPolicy.pairs(
                List.of(tablet("t", "", "c", A, 0, 0), tablet("u", "c", "", B, 0, 0)), BELOW))
        .as("of two tables")
        .isEmpty();
    assertThat(
            JoinPolicy.pairs(
                List.of(
                    tablet(TableNames.META1, "", "c", A, 0, 0),
                    tablet(TableNames.META1, "c", "", B, 0, 0)),
                BELOW))
        .as("META")
        .isEmpty();
  }

  @Test
  void theyComeToTheServerWithFewerTablets() {
    List<Pair> pairs =
        JoinPolicy.pairs(List.of(tablet("", "c", A, 2), tablet("c", "", B, 1)), BELOW);
    assertThat(JoinPolicy.choose(pairs, Map.of(A, 5, B, 4), ANY).getFirst().at()).isEqualTo(B);
    assertThat(JoinPolicy.choose(pairs, Map.of(A, 4, B, 5), ANY).getFirst().at()).isEqualTo(A);
    assertThat(JoinPolicy.choose(pairs, Map.of(A, 5, B, 5), ANY).getFirst().moved().server())
        .as("less is moved")
        .isEqualTo(B);
  }

  @Test
  void noTabletIsInTwoJoinsAndTheSmallestComeFirst() {
    List<Pair> pairs =
        JoinPolicy.pairs(
            List.of(
                tablet("", "c", A, 3),
                tablet("c", "g", B, 2),
                tablet("g", "m", A, 1),
                tablet("m", "", B, 4)),
            BELOW);
    Map<LiveServer, Integer> counts = Map.of(A, 2, B, 2);
    assertThat(names(pairs)).containsExactly("c", "g", "m");
    assertThat(JoinPolicy.choose(pairs, counts, ANY))
        .extracting(join -> join.pair().bytes())
        .containsExactly(3L);
    assertThat(JoinPolicy.choose(pairs.subList(0, 1), counts, 0)).isEmpty();
  }

  // ---- the age

  @Test
  void aPairMustHaveBeenAsItIsForTheJoinAge() {
    ManualClock clock = new ManualClock();
    JoinWatch watch = new JoinWatch(clock, Duration.ofHours(1));
    List<Pair> pairs =
        JoinPolicy.pairs(List.of(tablet("", "c", A, 2), tablet("c", "", B, 1)), BELOW);
    List<Pair> moved =
        JoinPolicy.pairs(List.of(tablet("", "c", B, 2), tablet("c", "", A, 1)), BELOW);
    assertThat(watch.settled(pairs)).as("it has only come").isEmpty();
    clock.advance(Duration.ofMinutes(59));
    assertThat(watch.settled(pairs)).isEmpty();
    clock.advance(Duration.ofMinutes(1));
    assertThat(watch.settled(pairs)).isEqualTo(pairs);
    watch.attempted(pairs.getFirst());
    assertThat(watch.settled(pairs)).as("after an attempt").isEmpty();
    clock.advance(Duration.ofHours(2));
    assertThat(watch.settled(List.of())).isEmpty();
    assertThat(watch.settled(pairs)).as("it was away").isEmpty();
    clock.advance(Duration.ofHours(2));
    assertThat(watch.settled(moved)).as("on other servers").isEmpty();
  }

  // ---- with balancing and splitting

  /** Tablets of servers, as they change by moves and joins. */
  private static final class Servers {
    final List<LiveServer> all = new ArrayList<>();
    final List<Candidate> tablets = new ArrayList<>();
    int moves;

    void move(PlannedMove move) {
      tablets.replaceAll(each -> each.tablet().equals(move.tablet()) ? at(each, move.to()) : each);
      moves++;
    }

    void join(PlannedJoin join) {
      Candidate lower = join.pair().lower();
      Candidate upper = join.pair().upper();
      assertThat(tablets).as("no tablet is joined twice").contains(lower, upper);
      assertThat(List.of(lower.server(), upper.server())).contains(join.at());
      tablets.removeAll(List.of(lower, upper));
      tablets.add(
          new Candidate(
              upper.tablet(),
              lower.first(),
              join.at(),
              lower.bytes() + upper.bytes(),
              lower.perSecond() + upper.perSecond()));
    }

    private static Candidate at(Candidate tablet, LiveServer server) {
      return new Candidate(
          tablet.tablet(), tablet.first(), server, tablet.bytes(), tablet.perSecond());
    }

    Map<LiveServer, Integer> counts() {
      Map<LiveServer, Integer> counts = new HashMap<>();
      all.forEach(server -> counts.put(server, 0));
      tablets.forEach(each -> counts.merge(each.server(), 1, Integer::sum));
      return counts;
    }

    List<Holding> holdings() {
      return all.stream()
          .map(
              server ->
                  new Holding(
                      server,
                      false,
                      tablets.stream()
                          .filter(each -> each.server().equals(server))
                          .map(each -> new Weight(each.tablet(), each.bytes(), each.perSecond()))
                          .toList()))
          .toList();
    }
  }

  private static Servers any(RandomGenerator random) {
    Servers servers = new Servers();
    int count = 2 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      servers.all.add(new LiveServer("s" + i, "s" + i + ":1"));
    }
    for (String table : List.of("t", "u", TableNames.META1).subList(0, 1 + random.nextInt(3))) {
      int tablets = 1 + random.nextInt(30);
      for (int i = 0; i < tablets; i++) {
        long bytes = random.nextInt(3) == 0 ? random.nextLong(250 * MB) : random.nextLong(9 * MB);
        servers.tablets.add(
            tablet(
                table,
                i == 0 ? "" : "%03d".formatted(i),
                i == tablets - 1 ? "" : "%03d".formatted(i + 1),
                servers.all.get(random.nextInt(count)),
                bytes,
                random.nextInt(4) == 0 ? random.nextInt(400) : 0));
      }
    }
    return servers;
  }

  private static void balance(Servers servers) {
    for (int plans = 0; ; plans++) {
      List<PlannedMove> moves = BalancePolicy.plan(servers.holdings(), 32);
      if (moves.isEmpty()) {
        return;
      }
      assertThat(plans).as("plans of the balancer until it is content").isLessThan(100);
      moves.forEach(servers::move);
    }
  }

  /**
   * Whatever the cluster: balancing and joining in turn come to an end, nothing that was joined is
   * large enough to be split, and no pair is left.
   */
  @Test
  void joiningAndBalancingInTurnComeToAnEnd() {
    RandomGenerator random = RandomSource.seeded(7);
    int joined = 0;
    for (int run = 0; run < 300; run++) {
      Servers servers = any(random);
      int tablets = servers.tablets.size();
      int joins = 0;
      int most = 1 + random.nextInt(8);
      balance(servers);
      servers.moves = 0;
      while (true) {
        List<PlannedJoin> plan =
            JoinPolicy.choose(JoinPolicy.pairs(servers.tablets, BELOW), servers.counts(), most);
        if (plan.isEmpty()) {
          break;
        }
        assertThat(plan.size()).isLessThanOrEqualTo(most);
        for (PlannedJoin join : plan) {
          servers.join(join);
          assertThat(servers.tablets.getLast().bytes())
              .as("far from a split")
              .isLessThan(CompactSettings.DEFAULT.splitBytes() / 2);
        }
        joins += plan.size();
        balance(servers);
      }
      assertThat(joins).as("each leaves one fewer").isEqualTo(tablets - servers.tablets.size());
      assertThat(JoinPolicy.pairs(servers.tablets, BELOW)).isEmpty();
      assertThat(BalancePolicy.plan(servers.holdings(), ANY)).isEmpty();
      joined += joins;
    }
    assertThat(joined).as("joins of all runs").isGreaterThan(1_000);
  }

  /** Joins alone: the tablet that moves is the fuller server's, so no server overtakes another. */
  @Test
  void joinsDoNotUpsetTheBalance() {
    RandomGenerator random = RandomSource.seeded(8);
    for (int run = 0; run < 300; run++) {
      Servers servers = any(random);
      Map<LiveServer, Integer> before = servers.counts();
      for (PlannedJoin join :
          JoinPolicy.choose(JoinPolicy.pairs(servers.tablets, BELOW), before, ANY)) {
        int from = Objects.requireNonNull(servers.counts().get(join.moved().server()));
        int to = Objects.requireNonNull(servers.counts().get(join.at()));
        assertThat(from).isGreaterThanOrEqualTo(to);
        servers.join(join);
      }
      servers
          .counts()
          .forEach(
              (server, count) ->
                  assertThat(count).isLessThanOrEqualTo(before.getOrDefault(server, 0)));
    }
  }
}
