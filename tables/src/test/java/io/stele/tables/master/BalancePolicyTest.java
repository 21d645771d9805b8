package io.stele.tables.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.tables.master.BalancePolicy.Holding;
import io.stele.tables.master.BalancePolicy.PlannedMove;
import io.stele.tables.master.BalancePolicy.Weight;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class BalancePolicyTest {
  private static final long MB = 1 << 20;
  private static final int ANY = Integer.MAX_VALUE;

  private int tablets;

  private static LiveServer server(String name) {
    return new LiveServer(name, name + ":1");
  }

  private Weight tablet(long megabytes, double perSecond) {
    return tablet("t", megabytes, perSecond);
  }

  private Weight tablet(String table, long megabytes, double perSecond) {
    Bytes last = Bytes.utf8("%06d".formatted(tablets++));
    return new Weight(new TabletKey(table, Optional.of(last)), megabytes * MB, perSecond);
  }

  private Holding even(String name, int count) {
    List<Weight> weights = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      weights.add(tablet(10, 1));
    }
    return new Holding(server(name), false, weights);
  }

  private static Holding holding(String name, Weight... weights) {
    return new Holding(server(name), false, List.of(weights));
  }

  private static Holding draining(Holding holding) {
    return new Holding(holding.server(), true, holding.tablets());
  }

  /** The servers after the moves. */
  private static List<Holding> after(List<Holding> before, List<PlannedMove> moves) {
    List<Holding> after = new ArrayList<>();
    for (Holding holding : before) {
      List<Weight> weights = new ArrayList<>(holding.tablets());
      for (PlannedMove move : moves) {
        if (move.from().equals(holding.server())) {
          assertThat(weights.removeIf(each -> each.tablet().equals(move.tablet()))).isTrue();
        }
        if (move.to().equals(holding.server())) {
          weights.add(weightOf(before, move.tablet()));
        }
      }
      after.add(new Holding(holding.server(), holding.draining(), weights));
    }
    return after;
  }

  private static Weight weightOf(List<Holding> all, TabletKey tablet) {
    return all.stream()
        .flatMap(holding -> holding.tablets().stream())
        .filter(weight -> weight.tablet().equals(tablet))
        .findFirst()
        .orElseThrow();
  }

  private static List<Integer> counts(List<Holding> holdings) {
    return holdings.stream().map(holding -> holding.tablets().size()).toList();
  }

  private static List<Long> megabytes(List<Holding> holdings) {
    return holdings.stream()
        .map(holding -> holding.tablets().stream().mapToLong(Weight::bytes).sum() / MB)
        .toList();
  }

  @Test
  void anEvenClusterIsLeftAlone() {
    assertThat(BalancePolicy.plan(List.of(even("a", 10), even("b", 10), even("c", 9)), ANY))
        .isEmpty();
    assertThat(BalancePolicy.plan(List.of(even("a", 100), even("b", 91), even("c", 95)), ANY))
        .as("within a tenth")
        .isEmpty();
    assertThat(BalancePolicy.plan(List.of(), ANY)).isEmpty();
    assertThat(BalancePolicy.plan(List.of(even("a", 7)), ANY)).isEmpty();
    assertThat(BalancePolicy.plan(List.of(even("a", 1), even("b", 0)), ANY)).isEmpty();
  }

  @Test
  void aNewServerGetsItsShare() {
    List<Holding> before = List.of(even("a", 100), even("b", 100), even("c", 0));
    List<PlannedMove> moves = BalancePolicy.plan(before, ANY);
    assertThat(counts(after(before, moves))).allSatisfy(n -> assertThat(n).isBetween(66, 67));
    assertThat(moves).hasSize(66).allSatisfy(move -> assertThat(move.to()).isEqualTo(server("c")));
    assertThat(moves.getFirst().reason()).isEqualTo("100 tablets against 0");
  }

  @Test
  void noMoreMovesThanAllowed() {
    List<Holding> before = List.of(even("a", 100), even("b", 0));
    assertThat(BalancePolicy.plan(before, 3)).hasSize(3);
  }

  @Test
  void drainingServersAreEmptiedFirstAndGetNothing() {
    List<Holding> before = List.of(draining(even("a", 10)), even("b", 20), even("c", 12));
    List<PlannedMove> moves = BalancePolicy.plan(before, ANY);
    assertThat(moves.subList(0, 10))
        .allSatisfy(move -> assertThat(move.reason()).isEqualTo("a:1 is drained"));
    assertThat(counts(after(before, moves))).containsExactly(0, 21, 21);
    assertThat(BalancePolicy.planDrains(before, ANY)).hasSize(10);
    assertThat(BalancePolicy.planDrains(List.of(draining(even("a", 3))), ANY))
        .as("nowhere to go")
        .isEmpty();
  }

  @Test
  void metaTabletsCountButStayWhileThereAreOthers() {
    Holding full =
        holding("a", tablet("META1", 1, 1), tablet(1, 1), tablet(1, 1), tablet("META0", 1, 1));
    List<PlannedMove> moves = BalancePolicy.plan(List.of(full, holding("b")), ANY);
    assertThat(moves).hasSize(2).allSatisfy(m -> assertThat(m.tablet().table()).isEqualTo("t"));
  }

  @Test
  void bytesAreEvenedOutWithoutUpsettingCounts() {
    List<Holding> before =
        List.of(
            holding("a", tablet(900, 0), tablet(800, 0), tablet(700, 0)),
            holding("b", tablet(10, 0), tablet(20, 0), tablet(30, 0)));
    List<PlannedMove> moves = BalancePolicy.plan(before, ANY);
    List<Holding> after = after(before, moves);
    assertThat(megabytes(after)).allSatisfy(mb -> assertThat(mb).isBetween(900L, 1560L));
    assertThat(Math.abs(counts(after).getFirst() - counts(after).getLast())).isLessThanOrEqualTo(1);
  }

  @Test
  void oneLargeTabletIsNotSentToAndFro() {
    List<Holding> before = List.of(holding("a", tablet(5_000, 0)), holding("b", tablet(1, 0)));
    assertThat(BalancePolicy.plan(before, ANY)).isEmpty();
  }

  @Test
  void smallDifferencesOfBytesAndLoadMoveNothing() {
    List<Holding> before =
        List.of(
            holding("a", tablet(30, 90), tablet(20, 50)), holding("b", tablet(1, 1), tablet(1, 0)));
    assertThat(BalancePolicy.plan(before, ANY)).isEmpty();
  }

  @Test
  void loadIsEvenedOutByExchange() {
    List<Holding> before =
        List.of(
            holding("a", tablet(100, 5_000), tablet(100, 5_000)),
            holding("b", tablet(100, 10), tablet(100, 10)));
    List<PlannedMove> moves = BalancePolicy.plan(before, ANY);
    assertThat(moves).hasSize(2);
    assertThat(moves.getFirst().reason()).isEqualTo("10000 requests per second against 20");
    assertThat(counts(after(before, moves))).containsExactly(2, 2);
  }

  @Test
  void loadDoesNotUpsetBytes() {
    List<Holding> before =
        List.of(
            holding("a", tablet(1_000, 5_000), tablet(10, 5_000)),
            holding("b", tablet(1_000, 10), tablet(10, 10)));
    List<Holding> after = after(before, BalancePolicy.plan(before, ANY));
    assertThat(megabytes(after)).containsExactly(1_010L, 1_010L);
    assertThat(after.getFirst().tablets().stream().mapToDouble(Weight::perSecond).sum())
        .isEqualTo(5_010);
  }

  /** Whatever the numbers: planning comes to an end, loses nothing, and ends even. */
  @Test
  void anyClusterComesToRest() {
    for (int seed = 0; seed < 200; seed++) {
      List<Holding> now = randomCluster(RandomSource.seeded(seed));
      Set<TabletKey> all = keys(now);
      int plans = 0;
      while (true) {
        List<PlannedMove> moves = BalancePolicy.plan(now, 6);
        checkPlan(seed, now, moves);
        if (moves.isEmpty()) {
          break;
        }
        now = after(now, moves);
        assertThat(++plans).as("plans of seed %d", seed).isLessThan(300);
      }
      assertThat(keys(now)).as("seed %d", seed).isEqualTo(all);
      checkRest(seed, now);
    }
  }

  private List<Holding> randomCluster(RandomGenerator random) {
    List<Holding> holdings = new ArrayList<>();
    int servers = 1 + random.nextInt(6);
    for (int i = 0; i < servers; i++) {
      List<Weight> weights = new ArrayList<>();
      int count = random.nextInt(1 + random.nextInt(60));
      for (int j = 0; j < count; j++) {
        String table = random.nextInt(30) == 0 ? "META1" : "t";
        weights.add(tablet(table, random.nextInt(1 + random.nextInt(900)), random.nextInt(2_000)));
      }
      holdings.add(new Holding(server("s" + i), random.nextInt(6) == 0, weights));
    }
    return holdings;
  }

  private static Set<TabletKey> keys(List<Holding> holdings) {
    Set<TabletKey> keys = new HashSet<>();
    holdings.forEach(each -> each.tablets().forEach(weight -> keys.add(weight.tablet())));
    return keys;
  }

  private static void checkPlan(int seed, List<Holding> now, List<PlannedMove> moves) {
    assertThat(moves.stream().map(PlannedMove::tablet)).as("seed %d", seed).doesNotHaveDuplicates();
    assertThat(moves.size()).as("seed %d", seed).isLessThanOrEqualTo(6);
    for (PlannedMove move : moves) {
      Holding to =
          now.stream().filter(each -> each.server().equals(move.to())).findFirst().orElseThrow();
      assertThat(to.draining()).as("seed %d: %s", seed, move).isFalse();
      assertThat(move.from()).as("seed %d: %s", seed, move).isNotEqualTo(move.to());
    }
  }

  private static void checkRest(int seed, List<Holding> now) {
    List<Integer> staying =
        now.stream().filter(each -> !each.draining()).map(each -> each.tablets().size()).toList();
    if (staying.isEmpty()) {
      return;
    }
    now.stream()
        .filter(Holding::draining)
        .forEach(each -> assertThat(each.tablets()).as("seed %d", seed).isEmpty());
    int all = staying.stream().mapToInt(Integer::intValue).sum();
    int spread =
        staying.stream().mapToInt(Integer::intValue).max().orElseThrow()
            - staying.stream().mapToInt(Integer::intValue).min().orElseThrow();
    assertThat(spread)
        .as("seed %d", seed)
        .isLessThanOrEqualTo(Math.max(1, all / staying.size() / 10));
  }
}
