package io.stele.replicas.placement;

import io.stele.base.error.InvalidRequestException;
import io.stele.replicas.metadata.Coordination.LiveServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Which servers get something new: by chance, in proportion to their free space, so that no server
 * gets all that is new because it has most. Those that are nearly full come last. Any thread, if
 * the source of chance is for any thread.
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
    List<LiveServer> order = order(live, Set.of());
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

  /** All servers but some, those first that should be taken first. */
  public List<LiveServer> order(Collection<LiveServer> live, Set<String> except) {
    List<LiveServer> roomy = new ArrayList<>();
    List<LiveServer> full = new ArrayList<>();
    for (LiveServer server : live) {
      if (!except.contains(server.id())) {
        (nearlyFull(server) ? full : roomy).add(server);
      }
    }
    List<LiveServer> order = drawAll(roomy);
    order.addAll(drawAll(full));
    return order;
  }

  private static boolean nearlyFull(LiveServer server) {
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
