package io.stele.it.metastore;

import io.stele.it.Programs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Hosts as network namespaces of Linux, made when first asked for:
 *
 * <pre>
 *   this machine                  namespace NAME-0       namespace NAME-1
 *   bridge 10.77.N.254 ---------- eth0 10.77.N.1         eth0 10.77.N.2 ...
 *                     \_____________________________________/
 * </pre>
 *
 * <p>A direction is cut by telling the sender a hardware address for the receiver that nobody has:
 * what is sent there is lost without an error, and connections find out by their time-outs. All of
 * it goes when this is closed, and at the latest when the JVM ends.
 */
final class Namespaces implements TestNetwork {
  private static final String NOBODY = "02:00:00:00:00:01";
  private static final int OWN = 254;

  private record Direction(int from, int to) {}

  private final int subnet;
  private final String name;
  private final String bridge;
  private final Set<Integer> hosts = new HashSet<>();
  private final List<Direction> cuts = new ArrayList<>();
  private final Thread atExit = new Thread(this::remove, "remove-namespaces");
  private boolean closed;

  Namespaces() {
    this.subnet = claim();
    this.name = "stele-" + subnet;
    this.bridge = name;
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      Programs.run("ip", "addr", "add", subnet(OWN) + "/24", "dev", bridge);
      Programs.run("ip", "link", "set", bridge, "up");
    } catch (AssertionError e) {
      close();
      throw e;
    }
  }

  /** Why this machine does not allow it; empty if it does. */
  static Optional<String> refusal() {
    if (!Programs.isRoot()) {
      return Optional.of("network namespaces are made by root only");
    }
    if (!Programs.exists("ip")) {
      return Optional.of("there is no program ip (Debian's package iproute2)");
    }
    return Possible.REFUSAL;
  }

  /** Tried once. */
  private static final class Possible {
    static final Optional<String> REFUSAL = attempt();

    private static Optional<String> attempt() {
      try (Namespaces probe = new Namespaces()) {
        var _ = probe.runsOn(0);
        return Optional.empty();
      } catch (AssertionError e) {
        return Optional.of("network namespaces do not work here: " + e.getMessage());
      }
    }
  }

  /** Making the bridge is what claims the number: it fails if another run has it. */
  private static int claim() {
    String said = "";
    for (int number = 1; number < 250; number++) {
      var made = Programs.attempt("ip", "link", "add", "stele-" + number, "type", "bridge");
      if (made.exitCode() == 0) {
        return number;
      }
      said = made.said();
      if (!said.contains("exists")) {
        break;
      }
    }
    throw new AssertionError("no bridge could be made: " + said);
  }

  private String subnet(int host) {
    return "10.77." + subnet + "." + host;
  }

  @Override
  public String address(int host) {
    return subnet(host + 1);
  }

  private String namespace(int host) {
    return name + "-" + host;
  }

  /** The end of a host's cable that is in the bridge. */
  private String port(int host) {
    return "stele" + subnet + "p" + host;
  }

  @Override
  public synchronized List<String> runsOn(int host) {
    if (hosts.add(host)) {
      make(host);
    }
    return List.of("ip", "netns", "exec", namespace(host));
  }

  private void make(int host) {
    String space = namespace(host);
    String port = port(host);
    Programs.run("ip", "netns", "add", space);
    Programs.run("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space);
    Programs.run("ip", "link", "set", port, "master", bridge, "up");
    Programs.run("ip", "-n", space, "addr", "add", address(host) + "/24", "dev", "eth0");
    Programs.run("ip", "-n", space, "link", "set", "eth0", "up");
    Programs.run("ip", "-n", space, "link", "set", "lo", "up");
  }

  @Override
  public boolean canCut() {
    return true;
  }

  @Override
  public synchronized void cut(int from, int to) {
    Direction direction = new Direction(from, to);
    if (!cuts.contains(direction)) {
      neighbour("replace", direction, "lladdr", NOBODY, "nud", "permanent");
      cuts.add(direction);
    }
  }

  @Override
  public synchronized void heal() {
    for (Direction direction : cuts) {
      neighbour("del", direction);
    }
    cuts.clear();
  }

  private void neighbour(String what, Direction direction, String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "ip",
                "-n",
                namespace(direction.from),
                "neigh",
                what,
                address(direction.to),
                "dev",
                "eth0"));
    command.addAll(List.of(more));
    Programs.run(command.toArray(String[]::new));
  }

  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException atTheEnd) {
      // It is running now.
    }
  }

  private synchronized void remove() {
    if (!closed) {
      closed = true;
      for (int host : hosts) {
        // First the cable: it would outlive its namespace for a while, and its name with it.
        Programs.attempt("ip", "link", "del", port(host));
        Programs.attempt("ip", "netns", "del", namespace(host));
      }
      Programs.attempt("ip", "link", "del", bridge);
    }
  }
}
