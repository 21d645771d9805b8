package io.stele.server.admin;

import io.stele.base.settings.Settings;
import io.stele.base.settings.SettingsSchema;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminServer;
import io.stele.gateway.admin.FlightRecording;
import io.stele.gateway.admin.ThreadDump;
import io.stele.gateway.security.PortSecurity;
import io.stele.gateway.web.WebGuard;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A node's admin port and what is behind it. It is there from the start: a node that starts or
 * stops says so by {@code /readyz}, and one that cannot go on by {@code /livez}.
 */
public final class AdminPort implements AutoCloseable {

  private final AdminServer server;

  private AdminPort(AdminServer server) {
    this.server = server;
  }

  /**
   * Begins to listen.
   *
   * @param port that was chosen for it
   * @param settings all of the node's, of this schema
   * @param ended fails when the node cannot go on
   * @param security of the node's ports, which counts here beyond loopback
   */
  public static AdminPort listen(
      AdminSettings how,
      int port,
      SettingsSchema schema,
      Settings settings,
      NodeView node,
      CompletableFuture<Void> ended,
      Optional<PortSecurity> security) {
    InetSocketAddress address = new InetSocketAddress(how.listen(), port);
    boolean loopback = !address.isUnresolved() && address.getAddress().isLoopbackAddress();
    AdminServer server =
        AdminServer.listen(
            how.listen(),
            port,
            new WebGuard("admin", how.origins(), how.hosts(), loopback, true),
            loopback ? Optional.empty() : security);
    LogLevels levels = new LogLevels();
    server.serve("/livez", _ -> alive(ended));
    server.serve("/readyz", node.readiness()::page);
    server.serve("/status", node.status());
    server.serve("/metrics", node.metrics()::page);
    server.serve("/config", new ConfigPage(schema, settings));
    server.serve(LogLevels.PATH, levels);
    server.serve(LogLevels.PATH + "/", levels, "GET", "PUT");
    server.serve("/threads", new ThreadDump());
    server.serve("/jfr", new FlightRecording(), "POST");
    return new AdminPort(server);
  }

  private static AdminAnswer alive(CompletableFuture<Void> ended) {
    Optional<Throwable> why =
        ended.isCompletedExceptionally() ? Optional.of(ended.exceptionNow()) : Optional.empty();
    return why.map(
            problem ->
                AdminAnswer.plain(
                    AdminAnswer.UNAVAILABLE, "the server cannot go on: " + problem + "\n"))
        .orElseGet(() -> AdminAnswer.plain(AdminAnswer.OK, "ok\n"));
  }

  /** More pages, by those who have something to show. */
  public AdminServer pages() {
    return server;
  }

  @Override
  public void close() {
    server.close();
  }
}
