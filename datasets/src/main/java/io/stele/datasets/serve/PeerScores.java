package io.stele.datasets.serve;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * How other nodes have answered lately, which decides whom to ask first: of two holders drawn by
 * chance the one with the lower score,
 *
 * <pre>
 *   score = average time of its answers, halved for every second without one,
 *           × (1 + requests under way)
 * </pre>
 *
 * <p>Two choices are enough to keep away from a slow node, and chance keeps all askers from
 * choosing the same fast one. A node that was slow or failed is tried again once its score has
 * faded: nobody is avoided for ever. A node that has not been asked has the score 0.
 *
 * <p>Any number of threads. Two that note a time at the same moment may lose one of both, which
 * changes an average a little. One entry for each node that was ever asked.
 */
final class PeerScores {
  private static final double WEIGHT = 0.2; // of a time that follows another one at once
  private static final double HALF_LIFE = 1e9; // nanos

  private final Map<String, Score> scores = new ConcurrentHashMap<>();

  private static final class Score {
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile double average; // nanos
    private volatile long at; // when it was that

    private double left(long now) {
      return Math.pow(2, -(now - at) / HALF_LIFE);
    }

    double faded(long now) {
      return average * left(now);
    }

    /** The less is left of what was, the more the new time counts. */
    void add(double took, long now) {
      double kept = average == 0 ? 0 : (1 - WEIGHT) * left(now);
      average = kept * average + (1 - kept) * took;
      at = now;
    }
  }

  private Score score(String address) {
    Score known = scores.get(address);
    return known == null ? scores.computeIfAbsent(address, _ -> new Score()) : known;
  }

  /** A request to a node begins. */
  void begun(String address) {
    score(address).underWay.incrementAndGet();
  }

  /** A request was answered. */
  void answered(String address, long took, long now) {
    Score score = score(address);
    score.underWay.decrementAndGet();
    score.add((double) took, now);
  }

  /**
   * A request was ended before it was answered. If it has taken longer than those before it, so
   * much is known.
   */
  void ended(String address, long took, long now) {
    Score score = score(address);
    score.underWay.decrementAndGet();
    if ((double) took > score.faded(now)) {
      score.add((double) took, now);
    }
  }

  /** All of them by chance, but the better one of the first two first. */
  List<String> order(List<String> holders, RandomGenerator random, long now) {
    if (holders.size() < 2) {
      return holders;
    }
    List<String> order = new ArrayList<>(holders);
    synchronized (random) {
      for (int i = order.size() - 1; i > 0; i--) {
        swap(order, i, random.nextInt(i + 1));
      }
    }
    if (now(order.get(1), now) < now(order.get(0), now)) {
      swap(order, 0, 1);
    }
    return order;
  }

  private double now(String address, long now) {
    Score score = scores.get(address);
    return score == null ? 0 : score.faded(now) * (1 + score.underWay.get());
  }

  private static void swap(List<String> order, int one, int other) {
    String swapped = order.get(one);
    order.set(one, order.get(other));
    order.set(other, swapped);
  }
}
