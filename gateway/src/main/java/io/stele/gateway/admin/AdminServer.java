package io.stele.gateway.admin;

import io.stele.gateway.security.HttpSecurity;
import io.stele.gateway.security.PortSecurity;
import io.stele.gateway.web.HttpServers;
import io.stele.gateway.web.WebGuard;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The admin port. It listens from the start, so that probes are answered while the node starts;
 * pages come as their owners do:
 *
 * <pre>{@code
 * AdminServer admin = AdminServer.listen("127.0.0.1", 7838, guard, Optional.empty());
 * admin.serve("/livez", _ -> AdminAnswer.plain(AdminAnswer.OK, "ok\n"));
 * }</pre>
 */
public final class AdminServer implements AutoCloseable {
  private static final int IDLE_MILLIS = 60_000;
  private static final int THREADS = 4; // the server's own; they do not wait for anything
  private static final int STOP_MILLIS = 500;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Server server;
  private final ServerConnector connector;
  private final AdminHandler handler;

  private AdminServer(String host, int port, WebGuard guard, Optional<PortSecurity> security) {
    QueuedThreadPool pool = new QueuedThreadPool(THREADS, 1);
    pool.setName("stele-admin");
    pool.setDaemon(true);
    pool.setReservedThreads(0);
    this.server = new Server(pool);
    this.server.setStopTimeout(STOP_MILLIS);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    this.connector =
        new ServerConnector(
            server, 1, 1, HttpSecurity.connections(security, new HttpConnectionFactory(http)));
    this.connector.setHost(host);
    this.connector.setPort(port);
    this.connector.setIdleTimeout(IDLE_MILLIS);
    this.server.addConnector(connector);
    this.handler = new AdminHandler(guard, threads);
    this.server.setHandler(handler);
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param guard against web pages of others
   * @param security of connections, if they are secured
   */
  public static AdminServer listen(
      String host, int port, WebGuard guard, Optional<PortSecurity> security) {
    AdminServer made = new AdminServer(host, port, guard, security);
    boolean listens = false;
    try {
      HttpServers.start(made.server, host + ":" + port + " for the admin port");
      listens = true;
      return made;
    } finally {
      if (!listens) {
        made.close();
      }
    }
  }

  /** Answers GET at a path; at all paths below it, if it ends in a slash. */
  public void serve(String path, AdminPage page) {
    serve(path, page, "GET");
  }

  /** As above, for these methods; all but GET must come from this machine, with a JSON body. */
  public void serve(String path, AdminPage page, String... methods) {
    handler.serve(path, page, Set.of(methods));
  }

  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    threads.shutdownNow(); // a recording or a slow page must not hold up the end
    HttpServers.stop(server);
  }
}
