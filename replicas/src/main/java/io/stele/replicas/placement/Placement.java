package io.stele.replicas.placement;

import io.stele.base.error.InvalidRequestException;
import io.stele.replicas.metadata.Coordination.LiveServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Which servers get something new: by chance, in proportion to their free space, so that no server
 * gets all that is new because it has most. Racks that have fewer of the copies come before others,
 * and servers that are nearly full come last. Any thread, if the source of chance is for any
 * thread.
 */
public final class Placement {
  private static final double NEARLY_FULL = 0.05; // of its space is free

  private final RandomGenerator random;

  public Placement(RandomGenerator random) {
    this.random = random;
  }

  /**
   * Distinct servers for the copies of a partition.
   *
   * @throws InvalidRequestException if there are fewer
   */
  public List<LiveServer> choose(int count, Collection<LiveServer> live) {
    List<LiveServer> order = order(live, Set.of(), List.of());
    if (order.size() < count) {
      throw new InvalidRequestException(
          count
              + " replicas need as many servers: "
              + order.size()
              + (order.size() == 1 ? " is" : " are")
              + " live");
    }
    return List.copyOf(order.subList(0, count));
  }

  /**
   * All servers but some, those first that should be taken first: as many as are taken of them are
   * spread over racks together with those that have copies already.
   *
   * @param beside servers that have copies
   */
  public List<LiveServer> order(
      Collection<LiveServer> live, Set<String> except, Collection<String> beside) {
    Map<String, Integer> copies = new HashMap<>(); // by place
    live.stream()
        .filter(each -> beside.contains(each.id()))
        .forEach(each -> copies.merge(each.place(), 1, Integer::sum));
    List<LiveServer> rest = draw(live, except);
    List<LiveServer> order = new ArrayList<>();
    while (!rest.isEmpty()) {
      LiveServer next =
          Collections.min( // of equals the one that was drawn first
              rest,
              Comparator.comparing(Placement::isNearlyFull)
                  .thenComparing(each -> copies.getOrDefault(each.place(), 0)));
      rest.remove(next);
      order.add(next);
      copies.merge(next.place(), 1, Integer::sum);
    }
    return order;
  }

  private List<LiveServer> draw(Collection<LiveServer> live, Set<String> except) {
    List<LiveServer> roomy = new ArrayList<>();
    List<LiveServer> full = new ArrayList<>();
    for (LiveServer server : live) {
      if (!except.contains(server.id())) {
        (isNearlyFull(server) ? full : roomy).add(server);
      }
    }
    List<LiveServer> order = drawAll(roomy);
    order.addAll(drawAll(full));
    return order;
  }

  static boolean isNearlyFull(LiveServer server) {
    return server.freeBytes() < NEARLY_FULL * server.totalBytes();
  }

  private List<LiveServer> drawAll(List<LiveServer> servers) {
    List<LiveServer> rest = new ArrayList<>(servers);
    List<LiveServer> drawn = new ArrayList<>();
    while (!rest.isEmpty()) {
      drawn.add(rest.remove(draw(rest)));
    }
    return drawn;
  }

  private int draw(List<LiveServer> servers) {
    double all = servers.stream().mapToDouble(Placement::weight).sum();
    double at = random.nextDouble() * all;
    for (int i = 0; i < servers.size(); i++) {
      at -= weight(servers.get(i));
      if (at < 0) {
        return i;
      }
    }
    return servers.size() - 1; // by rounding
  }

  /** A server without any free space still has a chance among others of its kind. */
  private static double weight(LiveServer server) {
    return Math.max(1, server.freeBytes());
  }
}
