package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.cli.Endpoints;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What a server is: its parts, its directory, its addresses, and how it comes into a group. */
public record ServerSettings(
    @About("The parts that this server runs: metastore, tables, master, replicas, datasets.")
        List<String> roles,
    @About("The directory of all that it keeps; made where it does not exist.") Path data,
    @About("The address that it listens on. Nothing beyond this machine reaches the default.")
        String listen,
    @About("The port of the native interface; 0 picks a free one.") int port,
    @About("The port by which members replicate the log; 0 picks a free one.") int raftPort,
    @About(
            "The port for single operations on rows; 0, or 0 as server.port, picks a free one."
                + " Clients learn it from the server, and do without where they cannot reach it.")
        int rowsPort,
    @About("Its name in the group, for ever; made up at the first start where there is none.")
        Optional<String> name,
    @About("The host by which others reach it; that it listens on where there is none.")
        Optional<String> advertise,
    @About("Addresses HOST:PORT of other servers; one that has some waits to be made a member.")
        List<String> seeds,
    @About("Addresses HOST:PORT of the metastore's members, for a server that is none of them.")
        List<String> metastore,
    @About("Whether a new server waits to be made a member, rather than form a group of its own.")
        boolean await,
    @About("Whether to find other servers, and be found by them, by multicast.") boolean multicast,
    @About(
            "Whether the last member that is left of a group becomes a group of its own. Refused"
                + " while another member answers.")
        boolean forceNewCluster,
    @About(
            "Whether to listen beyond this machine without tls.certificate, where everybody who"
                + " reaches a port can read and change everything. Refused otherwise.")
        boolean insecure) {

  /** Of the native interface. */
  public static final int DEFAULT_PORT = Endpoints.DEFAULT_PORT;

  public static final int DEFAULT_RAFT_PORT = 7836;

  public static final int DEFAULT_ROWS_PORT = 7837;

  // Before the defaults, which are checked by them.
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Set<String> EVERYWHERE = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");
  private static final int MAX_PORT = 65_535;

  public static final ServerSettings DEFAULTS =
      new ServerSettings(
          Role.all(),
          Path.of("stele-data"),
          "127.0.0.1",
          DEFAULT_PORT,
          DEFAULT_RAFT_PORT,
          DEFAULT_ROWS_PORT,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          false,
          false,
          false,
          false);

  public ServerSettings {
    roles = List.copyOf(roles);
    seeds = List.copyOf(seeds);
    metastore = List.copyOf(metastore);
    Set<Role> named = Role.named(roles);
    if (!named.contains(Role.METASTORE)
        && metastore.isEmpty()
        && !named.equals(Set.of(Role.DATASETS))) { // which can do without, alone
      throw new InvalidRequestException(
          "roles are "
              + String.join(", ", roles)
              + ", without metastore: server.metastore must name the servers that have it, such as"
              + " 10.0.0.7:"
              + DEFAULT_PORT);
    }
    checkPort("port", port);
    checkPort("raft-port", raftPort);
    checkPort("rows-port", rowsPort);
    if (port == raftPort && port != 0) {
      throw new InvalidRequestException(
          "port and raft-port are both " + port + ": must be two ports");
    }
    if (listen.isBlank()) {
      throw new InvalidRequestException(
          "listen is empty: must be an address of this machine, such as 127.0.0.1 or 0.0.0.0");
    }
    name.ifPresent(ServerSettings::checkName);
    seeds.forEach(address -> checkAddress("seed", address));
    metastore.forEach(address -> checkAddress("metastore", address));
    if (EVERYWHERE.contains(listen) && advertise.isEmpty()) {
      throw new InvalidRequestException(
          "listen is "
              + listen
              + ", which others cannot call: advertise must name the host by which they reach it");
    }
  }

  public Set<Role> roleSet() {
    return Role.named(roles);
  }

  boolean has(Role role) {
    return roleSet().contains(role);
  }

  /** Whether an address to listen on is all of the machine's, which nobody can call. */
  static boolean isEverywhere(String listen) {
    return EVERYWHERE.contains(listen);
  }

  /** The host by which others reach this server. */
  public String reachableHost() {
    return advertise.orElse(listen);
  }

  /** Whether a directory that belongs to no group is left so, until somebody makes it a member. */
  public boolean waitsForGroup() {
    return await || !seeds.isEmpty() || multicast;
  }

  private static void checkPort(String what, int port) {
    if (port < 0 || port > MAX_PORT) {
      throw new InvalidRequestException(
          what + " is " + port + ": must be from 1 to " + MAX_PORT + ", or 0 for a free one");
    }
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidRequestException(
          "name is '" + name + "': must be 1 to 64 letters, digits, _ or -");
    }
  }

  private static void checkAddress(String what, String address) {
    int colon = address.lastIndexOf(':');
    String port = address.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MAX_PORT) {
      throw new InvalidRequestException(
          what + " '" + address + "': must be HOST:PORT, such as 10.0.0.7:" + DEFAULT_PORT);
    }
  }
}
