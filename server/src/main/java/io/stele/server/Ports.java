package io.stele.server;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.server.admin.AdminSettings;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The ports that a server listens on; 0 for one that its roles do not need. Those that were picked
 * for it are kept in its directory, and taken again at the next start: the other members of its
 * group know them. The file {@code ports} is one line of text:
 *
 * <pre>
 *   native=38211 raft=40107 datasets=41023 etcd=41033 bigtable=41044 admin=41055
 * </pre>
 */
record Ports(
    int nativePort, int raftPort, int datasetsPort, int etcdPort, int bigtablePort, int adminPort) {

  private static final FilePath FILE = FilePath.of("ports");
  private static final Pattern LINE =
      Pattern.compile(
          "native=(\\d{1,5}) raft=(\\d{1,5})(?: datasets=(\\d{1,5}))?(?: etcd=(\\d{1,5}))?"
              + "(?: bigtable=(\\d{1,5}))?(?: admin=(\\d{1,5}))?\n");

  /**
   * Ports that were picked, until somebody listens there. Each is the port of a socket that is
   * bound and does nothing: the system gives it to nobody who asks for any port, and lets whoever
   * names it listen on it. Of many servers that start together, two could pick the same one
   * otherwise.
   */
  static final class Reserved implements AutoCloseable {
    private final List<Socket> sockets = new ArrayList<>();

    /**
     * Reserves a port.
     *
     * @param port 0 for any that is free
     */
    int take(InetAddress host, int port) throws IOException {
      Socket socket = new Socket();
      sockets.add(socket);
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(host, port));
      return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /**
   * The ports of the settings, and where they leave it open those of the last start as far as they
   * are free, or others.
   *
   * @param reserved gets those that nobody has set
   */
  static Ports choose(
      ServerSettings settings,
      DatasetsSettings datasets,
      EtcdSettings etcd,
      BigtableSettings bigtable,
      AdminSettings admin,
      FileStore directory,
      Reserved reserved)
      throws IOException {
    Optional<Ports> last = read(directory);
    InetAddress host = addressOf(settings.listen());
    Ports ports =
        new Ports(
            choose(host, "port", settings.port(), last.map(Ports::nativePort), reserved),
            settings.has(Role.METASTORE)
                ? choose(
                    host, "raft-port", settings.raftPort(), last.map(Ports::raftPort), reserved)
                : 0,
            settings.has(Role.DATASETS)
                ? choose(
                    host,
                    "datasets.port",
                    datasets.chosenPort(settings),
                    last.map(Ports::datasetsPort),
                    reserved)
                : 0,
            settings.has(Role.METASTORE) && etcd.enabled()
                ? usual(
                    host,
                    "etcd.port",
                    etcd.port(),
                    EtcdSettings.USUAL_PORT,
                    last.map(Ports::etcdPort),
                    reserved)
                : 0,
            (settings.has(Role.TABLES) || settings.has(Role.REPLICAS)) && bigtable.enabled()
                ? usual(
                    host,
                    "bigtable.port",
                    bigtable.port(),
                    BigtableSettings.USUAL_PORT,
                    last.map(Ports::bigtablePort),
                    reserved)
                : 0,
            admin.enabled() ? ofAdmin(settings, admin, last.map(Ports::adminPort), reserved) : 0);
    if (!last.equals(Optional.of(ports))) {
      ports.write(directory);
    }
    return ports;
  }

  /** The usual port, if it is free: many machines have an etcd, or an emulator, already. */
  private static int usual(
      InetAddress host, String what, int set, int usual, Optional<Integer> last, Reserved reserved)
      throws IOException {
    if (set == usual) {
      return isFree(host, set) ? set : 0; // one look: another server may take it any moment
    }
    return choose(host, what, set, last, reserved);
  }

  /** Where none is set, any port does for those who look it up, so it never stops a start. */
  private static int ofAdmin(
      ServerSettings settings, AdminSettings admin, Optional<Integer> last, Reserved reserved)
      throws IOException {
    InetAddress host = addressOf(admin.listen());
    int usual = AdminSettings.USUAL_PORT;
    boolean takesUsual = settings.port() == ServerSettings.DEFAULT_PORT && isFree(host, usual);
    int set = admin.port().orElse(takesUsual ? usual : 0);
    return choose(host, "admin.port", set, last, reserved);
  }

  /**
   * The port for single operations on rows; none where there are no tables. Clients learn it anew
   * from each server, so that another one does as well where the usual one is taken.
   */
  static OptionalInt ofRows(ServerSettings settings) throws IOException {
    if (!settings.has(Role.TABLES) && !settings.has(Role.REPLICAS)) {
      return OptionalInt.empty();
    }
    int set = settings.rowsPort();
    if (set != ServerSettings.DEFAULT_ROWS_PORT) {
      return OptionalInt.of(set);
    }
    boolean usual = settings.port() != 0 && isFree(addressOf(settings.listen()), set);
    return OptionalInt.of(usual ? set : 0);
  }

  private static int choose(
      InetAddress host, String what, int set, Optional<Integer> last, Reserved reserved)
      throws IOException {
    if (set != 0) {
      if (!isFree(host, set)) {
        throw new UnavailableException(
            "%s %d of %s is in use by another program: end it, or set another %s"
                .formatted(what, set, host.getHostAddress(), what));
      }
      return set;
    }
    boolean again = last.isPresent() && last.get() != 0 && isFree(host, last.get());
    return reserved.take(host, again ? last.get() : 0);
  }

  private static boolean isFree(InetAddress host, int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, host)) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  private static InetAddress addressOf(String listen) throws IOException {
    InetAddress address;
    try {
      address = InetAddress.getByName(listen);
    } catch (UnknownHostException e) {
      throw new InvalidRequestException("listen is " + listen + ", which is no known host", e);
    }
    if (!address.isAnyLocalAddress() && NetworkInterface.getByInetAddress(address) == null) {
      throw new InvalidRequestException(
          "listen is " + listen + ": must be an address of this machine, such as 127.0.0.1");
    }
    return address;
  }

  private static Optional<Ports> read(FileStore directory) throws IOException {
    if (directory.stat(FILE).isEmpty()) {
      return Optional.empty();
    }
    String text;
    try (ReadableFile file = directory.open(FILE)) {
      byte[] bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
      text = new String(bytes, StandardCharsets.US_ASCII);
    }
    Matcher line = LINE.matcher(text);
    if (!line.matches()) {
      throw new CorruptDataException(
          directory.describe() + "/" + FILE, 0, "a line native=7835 raft=7836", text.strip());
    }
    return Optional.of(
        new Ports(
            Integer.parseInt(line.group(1)),
            Integer.parseInt(line.group(2)),
            port(line.group(3)),
            port(line.group(4)),
            port(line.group(5)),
            port(line.group(6))));
  }

  Ports withoutEtcd() {
    return new Ports(nativePort, raftPort, datasetsPort, 0, bigtablePort, adminPort);
  }

  private static int port(@Nullable String digits) {
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  private void write(FileStore directory) throws IOException {
    String text =
        "native=%d raft=%d datasets=%d etcd=%d bigtable=%d admin=%d\n"
            .formatted(nativePort, raftPort, datasetsPort, etcdPort, bigtablePort, adminPort);
    directory.replace(FILE, text.getBytes(StandardCharsets.US_ASCII));
  }
}
