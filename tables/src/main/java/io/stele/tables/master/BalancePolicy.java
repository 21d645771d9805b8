package io.stele.tables.master;

import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which tablets are to be moved. Decided by numbers alone, so that it can be told beforehand.
 *
 * <pre>
 *   1  draining servers are emptied, onto those with fewest tablets
 *   2  counts: while the largest and the smallest differ by more than a tenth, and by more than one
 *   3  bytes:  while two servers differ by more than a fifth; without giving up 2
 *   4  load:   while two servers differ by more than a third; without giving up 2 and 3
 * </pre>
 *
 * <p>Nothing moves for nothing. In 2 a move goes from the largest to the smallest. In 3 and 4 it
 * brings two servers closer by a good part of what they may differ; if one tablet would upset the
 * counts, two are exchanged. So each move lowers the sum of squares of what is evened out and never
 * raises that of what comes before it, or leaves it within bounds: with the same numbers, planning
 * again and again comes to an end, and a cluster that is even enough is left alone.
 *
 * <p>META tablets count as others do, but they are moved for balance only if a server has nothing
 * else: everybody notices.
 */
final class BalancePolicy {
  /**
   * A tablet as it weighs on its server.
   *
   * @param perSecond reads and writes
   */
  record Weight(TabletKey tablet, long bytes, double perSecond) {}

  record Holding(LiveServer server, boolean draining, List<Weight> tablets) {
    Holding {
      tablets = List.copyOf(tablets);
    }
  }

  record PlannedMove(TabletKey tablet, LiveServer from, LiveServer to, String reason) {}

  /** Servers whose bytes differ by less are even. */
  static final double SMALL_BYTES = 64 << 20;

  /** Servers whose requests per second differ by less are even. */
  static final double SMALL_LOAD = 200;

  private final int most;
  private final List<Side> sides = new ArrayList<>(); // those that may get tablets
  private final List<PlannedMove> moves = new ArrayList<>();

  private BalancePolicy(int most) {
    this.most = most;
  }

  /** What is to be done next: a bounded number of moves, no tablet twice. */
  static List<PlannedMove> plan(Collection<Holding> servers, int most) {
    return new BalancePolicy(most).plan(servers);
  }

  /** Only what draining servers must give up. */
  static List<PlannedMove> planDrains(Collection<Holding> servers, int most) {
    BalancePolicy policy = new BalancePolicy(most);
    policy.drain(servers);
    return List.copyOf(policy.moves);
  }

  private List<PlannedMove> plan(Collection<Holding> servers) {
    drain(servers);
    if (sides.size() > 1) {
      evenCounts();
      even(Measure.BYTES, List.of());
      even(Measure.LOAD, List.of(Measure.BYTES));
    }
    return List.copyOf(moves);
  }

  private boolean isFull() {
    return moves.size() >= most;
  }

  // ---- 1: draining

  private void drain(Collection<Holding> servers) {
    List<Side> leaving = new ArrayList<>();
    for (Holding server : servers) {
      (server.draining() ? leaving : sides).add(new Side(server));
    }
    sides.sort(Comparator.comparing(side -> side.server.run()));
    for (Side from : leaving) {
      while (!from.free.isEmpty() && !sides.isEmpty() && !isFull()) {
        Side to =
            sides.stream()
                .min(Comparator.comparingInt(Side::count).thenComparingDouble(side -> side.bytes))
                .orElseThrow();
        move(from.free.getFirst(), from, to, from.server.address() + " is drained");
      }
    }
  }

  // ---- 2: counts

  private int countSlack() {
    int all = sides.stream().mapToInt(Side::count).sum();
    return Math.max(1, all / sides.size() / 10);
  }

  private int countSpread() {
    return largest().count() - smallest().count();
  }

  private Side largest() {
    return sides.stream().max(Comparator.comparingInt(Side::count)).orElseThrow();
  }

  private Side smallest() {
    return sides.stream().min(Comparator.comparingInt(Side::count)).orElseThrow();
  }

  /** Once they differ too much they are made even, so that they do not soon differ so again. */
  private void evenCounts() {
    if (countSpread() <= countSlack()) {
      return;
    }
    while (countSpread() > 1 && !isFull()) {
      Side from = largest();
      Side to = smallest();
      double wanted = Math.max(0, (from.bytes - to.bytes) / 2);
      Optional<Weight> tablet =
          from.free.stream()
              .min(
                  Comparator.comparing((Weight each) -> isMeta(each))
                      .thenComparingDouble(each -> Math.abs(each.bytes() - wanted)));
      if (tablet.isEmpty()) {
        return; // all it has left came with this plan
      }
      move(tablet.get(), from, to, "%d tablets against %d".formatted(from.count(), to.count()));
    }
  }

  private static boolean isMeta(Weight tablet) {
    return TableNames.isReserved(tablet.tablet().table());
  }

  // ---- 3 and 4: bytes and load

  private enum Measure {
    BYTES("bytes", 0.2, SMALL_BYTES) {
      @Override
      double of(Weight tablet) {
        return tablet.bytes();
      }

      @Override
      double of(Side side) {
        return side.bytes;
      }
    },
    LOAD("requests per second", 0.33, SMALL_LOAD) {
      @Override
      double of(Weight tablet) {
        return tablet.perSecond();
      }

      @Override
      double of(Side side) {
        return side.perSecond;
      }
    };

    private final String unit;
    private final double part;
    private final double small;

    Measure(String unit, double part, double small) {
      this.unit = unit;
      this.part = part;
      this.small = small;
    }

    abstract double of(Weight tablet);

    abstract double of(Side side);

    /** How far two servers may differ. */
    double slack(List<Side> sides) {
      double all = sides.stream().mapToDouble(this::of).sum();
      return Math.max(small, all / sides.size() * part);
    }
  }

  private void even(Measure measure, List<Measure> before) {
    while (!isFull() && evenOnce(measure, before)) {
      // Until nothing is left that is worth it.
    }
  }

  private boolean evenOnce(Measure measure, List<Measure> before) {
    if (countSpread() > countSlack()) {
      return false; // that comes first, and this plan is full or can do no more for it
    }
    List<Side> ordered = new ArrayList<>(sides);
    ordered.sort(Comparator.comparingDouble(measure::of));
    double slack = measure.slack(sides);
    for (Side heavy : ordered.reversed()) {
      for (Side light : ordered) {
        double difference = measure.of(heavy) - measure.of(light);
        if (difference <= slack) {
          break; // those that follow are heavier
        }
        Optional<Exchange> best = best(measure, before, heavy, light, difference, slack / 4);
        if (best.isPresent()) {
          String reason =
              "%.0f %s against %.0f".formatted(measure.of(heavy), measure.unit, measure.of(light));
          move(best.get().away(), heavy, light, reason);
          best.get().back().ifPresent(back -> move(back, light, heavy, reason));
          return true;
        }
      }
    }
    return false;
  }

  /** A tablet that goes to the lighter server and, maybe, one that comes back for it. */
  private record Exchange(Weight away, Optional<Weight> back) {
    double gain(Measure measure) {
      return measure.of(away) - back.map(measure::of).orElse(0.0);
    }
  }

  /** What brings two servers closest; nothing if that is not worth it. */
  private Optional<Exchange> best(
      Measure measure,
      List<Measure> before,
      Side heavy,
      Side light,
      double difference,
      double least) {
    List<Exchange> possible = new ArrayList<>();
    boolean alone = light.count() + 2 - heavy.count() <= countSlack();
    for (Weight away : heavy.free) {
      if (isMeta(away)) {
        continue;
      }
      if (alone) {
        possible.add(new Exchange(away, Optional.empty()));
      }
      if (moves.size() + 2 <= most) {
        light.free.stream()
            .filter(back -> !isMeta(back))
            .forEach(back -> possible.add(new Exchange(away, Optional.of(back))));
      }
    }
    return possible.stream()
        .filter(each -> each.gain(measure) >= least && each.gain(measure) <= difference - least)
        .filter(each -> before.stream().allMatch(kept -> keeps(kept, each, heavy, light)))
        .filter(each -> each.back().isPresent() || keepsCounts(heavy, light))
        .min(
            Comparator.comparingDouble(
                    (Exchange each) -> Math.abs(difference / 2 - each.gain(measure)))
                .thenComparing(each -> each.back().isPresent()));
  }

  private boolean keepsCounts(Side from, Side to) {
    int slack = countSlack();
    return sides.stream()
        .filter(side -> side != from && side != to)
        .allMatch(
            side ->
                side.count() - (from.count() - 1) <= slack
                    && to.count() + 1 - side.count() <= slack);
  }

  /** Whether what was evened out before stays within bounds, or at least becomes no worse. */
  private boolean keeps(Measure kept, Exchange exchange, Side heavy, Side light) {
    double gain = exchange.gain(kept);
    double from = kept.of(heavy);
    double to = kept.of(light);
    if (square(from - gain) + square(to + gain) <= square(from) + square(to)) {
      return true;
    }
    double slack = kept.slack(sides);
    double largest = Math.max(from - gain, to + gain);
    double smallest = Math.min(from - gain, to + gain);
    for (Side side : sides) {
      if (side != heavy && side != light) {
        largest = Math.max(largest, kept.of(side));
        smallest = Math.min(smallest, kept.of(side));
      }
    }
    return largest - smallest <= slack;
  }

  private static double square(double value) {
    return value * value;
  }

  private void move(Weight tablet, Side from, Side to, String reason) {
    moves.add(new PlannedMove(tablet.tablet(), from.server, to.server, reason));
    from.remove(tablet);
    to.add(tablet);
  }

  /** A server while moves are planned. */
  private static final class Side {
    private final LiveServer server;
    private final List<Weight> free; // not moved by this plan yet
    private int arrived;
    private double bytes;
    private double perSecond;

    private Side(Holding holding) {
      this.server = holding.server();
      this.free = new ArrayList<>(holding.tablets());
      for (Weight tablet : free) {
        bytes += tablet.bytes();
        perSecond += tablet.perSecond();
      }
    }

    private int count() {
      return free.size() + arrived;
    }

    private void remove(Weight tablet) {
      free.remove(tablet);
      bytes -= tablet.bytes();
      perSecond -= tablet.perSecond();
    }

    private void add(Weight tablet) {
      arrived++;
      bytes += tablet.bytes();
      perSecond += tablet.perSecond();
    }
  }
}
