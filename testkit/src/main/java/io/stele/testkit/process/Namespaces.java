package io.stele.testkit.process;

import io.stele.testkit.run.Needs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Hosts as network namespaces of Linux, each created when it is first used:
 *
 * <pre>
 *   this machine                  namespace NAME-0       namespace NAME-1
 *   bridge 10.77.N.254 ---------- eth0 10.77.N.1         eth0 10.77.N.2 ...
 *                     \_____________________________________/
 * </pre>
 *
 * <p>A direction is cut by giving the sender a hardware address of the receiver that nobody has:
 * what is sent there is lost without an error, and connections notice by their timeouts. Closing
 * this, or the end of the JVM, removes all of it.
 */
public final class Namespaces implements Network {
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
      Program.succeed("ip", "addr", "add", subnet(OWN) + "/24", "dev", bridge);
      Program.succeed("ip", "link", "set", bridge, "up");
    } catch (AssertionError e) {
      close();
      throw e;
    }
  }

  /** Why this machine does not allow it; empty if it does. */
  public static Optional<String> unavailable() {
    if (!Needs.isInstalled("ip")) {
      return Optional.of(
          "the program ip is not on the path (Debian: apt install iproute2, in /usr/sbin)");
    }
    if (!Needs.isRoot()) {
      return Optional.of("only root may create network namespaces");
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

  /** Creating the bridge claims the number: it fails if another run has it. */
  private static int claim() {
    String said = "";
    for (int number = 1; number < 250; number++) {
      var made = Program.of("ip", "link", "add", "stele-" + number, "type", "bridge").run();
      if (made.exitCode() == 0) {
        return number;
      }
      said = made.said();
      if (!said.contains("exists")) {
        break;
      }
    }
    throw new AssertionError("no bridge could be created: " + said);
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
    Program.succeed("ip", "netns", "add", space);
    Program.succeed(
        "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space);
    Program.succeed("ip", "link", "set", port, "master", bridge, "up");
    Program.succeed("ip", "-n", space, "addr", "add", address(host) + "/24", "dev", "eth0");
    Program.succeed("ip", "-n", space, "link", "set", "eth0", "up");
    Program.succeed("ip", "-n", space, "link", "set", "lo", "up");
  }

  @Override
  public Optional<String> refusal() {
    return Optional.empty();
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
    Program.succeed(command.toArray(String[]::new));
  }

  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException atTheEnd) {
      // The hook is running now.
    }
  }

  private synchronized void remove() {
    if (!closed) {
      closed = true;
      for (int host : hosts) {
        // First the cable: it would outlive its namespace for a while, and its name with it.
        Program.of("ip", "link", "del", port(host)).run();
        Program.of("ip", "netns", "del", namespace(host)).run();
      }
      Program.of("ip", "link", "del", bridge).run();
    }
  }
}
