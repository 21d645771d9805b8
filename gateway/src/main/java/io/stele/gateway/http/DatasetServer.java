package io.stele.gateway.http;

import io.stele.datasets.serve.DatasetService;
import io.stele.gateway.security.HttpSecurity;
import io.stele.gateway.security.PortSecurity;
import io.stele.gateway.web.HttpServers;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Datasets on a port of their own, over HTTP/1.1. It listens from the start, so that its address is
 * known; it answers 503 until it is given what to serve:
 *
 * <pre>{@code
 * DatasetServer server =
 *     DatasetServer.listen("127.0.0.1", 0, "application/octet-stream", Optional.empty());
 * server.serve(datasets);
 * }</pre>
 */
public final class DatasetServer implements AutoCloseable {
  private static final int IDLE_MILLIS = 60_000;
  private static final int LONGEST_REQUEST_LINE = 64 << 10; // keys are in it
  private static final int THREADS = 16; // the server's own; they do not wait for anything
  private static final int DISK_THREADS = 16;
  private static final int STOP_MILLIS = 2_000;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ThreadPoolExecutor diskThreads =
      new ThreadPoolExecutor(
          DISK_THREADS,
          DISK_THREADS,
          IDLE_MILLIS,
          TimeUnit.MILLISECONDS,
          new LinkedBlockingQueue<>(), // at most one of each connection
          Thread.ofPlatform().daemon().name("stele-http-disk-", 1).factory());
  private final Server server;
  private final ServerConnector connector;
  private final DatasetHandler handler;

  private DatasetServer(String host, int port, String valueType, Optional<PortSecurity> security) {
    QueuedThreadPool pool = new QueuedThreadPool(THREADS, Math.min(THREADS, 4));
    pool.setName("stele-http");
    pool.setDaemon(true);
    pool.setReservedThreads(0);
    this.server = new Server(pool);
    this.server.setStopTimeout(STOP_MILLIS);
    this.server.setErrorHandler(new PlainErrors());
    this.connector =
        new ServerConnector(
            server, 1, -1, HttpSecurity.connections(security, new KeyConnections(http())));
    this.connector.setHost(host);
    this.connector.setPort(port);
    this.connector.setIdleTimeout(IDLE_MILLIS);
    this.server.addConnector(connector);
    this.handler =
        new DatasetHandler(
            new Answers(valueType), threads, diskThreads, security.map(PortSecurity::identities));
    this.diskThreads.allowCoreThreadTimeOut(true);
    this.server.setHandler(handler);
  }

  private static HttpConfiguration http() {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(LONGEST_REQUEST_LINE);
    // Keys are bytes: what would be dubious as the path of a file is as good as any other.
    http.setUriCompliance(UriCompliance.UNSAFE);
    return http;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param valueType the content type of values
   * @param security of connections, if they are secured
   */
  public static DatasetServer listen(
      String host, int port, String valueType, Optional<PortSecurity> security) {
    DatasetServer made = new DatasetServer(host, port, valueType, security);
    boolean listens = false;
    try {
      HttpServers.start(made.server, host + ":" + port);
      listens = true;
      return made;
    } finally {
      if (!listens) {
        made.close();
      }
    }
  }

  /** Answers from these datasets from now on. */
  public void serve(DatasetService datasets) {
    handler.serve(datasets);
  }

  /** Answers 503 from now on. */
  public void serveNothing() {
    handler.serve(null);
  }

  public int port() {
    return connector.getLocalPort();
  }

  /** Lets requests that are under way end for a moment, then cuts them off. */
  @Override
  public void close() {
    try {
      HttpServers.stop(server);
    } finally {
      threads.shutdownNow();
      diskThreads.shutdownNow();
    }
  }

  /** Requests that never come to the handler, in the same plain form. */
  private static final class PlainErrors extends ErrorHandler {
    @Override
    protected void generateResponse(
        Request request,
        Response response,
        int code,
        @Nullable String message,
        @Nullable Throwable cause,
        Callback callback) {
      Answers.text(code, message == null ? "error " + code : message, response, callback);
    }
  }
}
