package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which small neighbours on two servers are brought together and joined. Neighbours on one server
 * are that server's to join.
 *
 * <p>Two tablets are joined if together they have fewer bytes than the join threshold, and fewer
 * requests per second than {@link BalancePolicy#SMALL_LOAD}: two busy tablets may be apart on
 * purpose, and as one they could not be spread again. META is left alone, since its load has little
 * to do with its size. The tablet of the server with more tablets moves, because that server has
 * one fewer afterwards and the other one as many as before.
 *
 * <p>Tablets do not go round in circles:
 *
 * <ul>
 *   <li>With splits: the threshold is at most half the size at which tablets are split ({@link
 *       io.stele.tables.compact.CompactSettings}), so a joined tablet has to grow twofold first.
 *   <li>With the balancer: a join leaves one tablet fewer, and no move undoes that. Both tablets
 *       stay reserved from the move to the join, and joins wait until no move is due.
 *   <li>With itself: a pair must have been as it is for the join age ({@link JoinWatch}), and after
 *       an attempt that failed the age counts from zero. So a tablet that cannot be joined moves at
 *       most once in that time.
 * </ul>
 */
final class JoinPolicy {
  /**
   * An active tablet that may be moved.
   *
   * @param first the row before its first
   * @param perSecond reads and writes
   */
  record Candidate(
      TabletKey tablet, Bytes first, LiveServer server, long bytes, double perSecond) {}

  /** Small neighbours on two servers. */
  record Pair(Candidate lower, Candidate upper) {
    long bytes() {
      return lower.bytes() + upper.bytes();
    }
  }

  /**
   * A join to be made.
   *
   * @param at the server of one of them, to which the other one is moved
   */
  record PlannedJoin(Pair pair, LiveServer at) {
    /** The one that moves. */
    Candidate moved() {
      return pair.lower().server().equals(at) ? pair.upper() : pair.lower();
    }
  }

  private JoinPolicy() {}

  /** All pairs, in the order of tables and rows; a tablet may be in two of them. */
  static List<Pair> pairs(Collection<Candidate> tablets, long below) {
    List<Candidate> ordered = new ArrayList<>(tablets);
    ordered.removeIf(each -> TableNames.isReserved(each.tablet().table()));
    ordered.sort(
        Comparator.comparing((Candidate each) -> each.tablet().table())
            .thenComparing(Candidate::first));
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i + 1 < ordered.size(); i++) {
      Pair pair = new Pair(ordered.get(i), ordered.get(i + 1));
      if (areNeighbours(pair)
          && pair.bytes() < below
          && pair.lower().perSecond() + pair.upper().perSecond() < BalancePolicy.SMALL_LOAD) {
        pairs.add(pair);
      }
    }
    return pairs;
  }

  private static boolean areNeighbours(Pair pair) {
    Candidate lower = pair.lower();
    Candidate upper = pair.upper();
    return lower.tablet().table().equals(upper.tablet().table())
        && lower.tablet().last().equals(Optional.of(upper.first()))
        && !lower.server().equals(upper.server());
  }

  /**
   * The joins to be made next, the smallest first: a bounded number, no tablet in two of them.
   *
   * @param counts how many tablets each server has
   */
  static List<PlannedJoin> choose(List<Pair> pairs, Map<LiveServer, Integer> counts, int most) {
    Map<LiveServer, Integer> left = new HashMap<>(counts);
    Set<TabletKey> taken = new HashSet<>();
    List<PlannedJoin> joins = new ArrayList<>();
    List<Pair> smallestFirst = new ArrayList<>(pairs);
    smallestFirst.sort(Comparator.comparingLong(Pair::bytes));
    for (Pair pair : smallestFirst) {
      if (joins.size() < most
          && !taken.contains(pair.lower().tablet())
          && !taken.contains(pair.upper().tablet())) {
        taken.add(pair.lower().tablet());
        taken.add(pair.upper().tablet());
        PlannedJoin join = new PlannedJoin(pair, place(pair, left));
        left.merge(join.moved().server(), -1, Integer::sum);
        joins.add(join);
      }
    }
    return joins;
  }

  /** The server with fewer tablets; that of the larger tablet if they have equally many. */
  private static LiveServer place(Pair pair, Map<LiveServer, Integer> counts) {
    LiveServer lower = pair.lower().server();
    LiveServer upper = pair.upper().server();
    int difference = counts.getOrDefault(lower, 0) - counts.getOrDefault(upper, 0);
    if (difference != 0) {
      return difference < 0 ? lower : upper;
    }
    return pair.lower().bytes() >= pair.upper().bytes() ? lower : upper;
  }
}
