package io.stele.bench.table;

import io.stele.base.error.UnavailableException;
import io.stele.base.process.ChildProcess;
import io.stele.bench.Running;
import io.stele.bench.driver.Sample;
import io.stele.bench.process.DriverProcess;
import java.time.Duration;
import java.util.List;

/** A side's running server, and the driver that asks it. */
final class TableServer implements Running.Started {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LONG_PATIENCE = Duration.ofHours(3);
  private static final Duration START_PATIENCE = Duration.ofMinutes(3);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** How a server is asked to end cleanly, and waited for. */
  interface CleanStop {
    void stop(ChildProcess server) throws Exception;
  }

  private final String name;
  private final ChildProcess server;
  private final CleanStop cleanStop;
  private final DriverProcess driver;

  TableServer(String name, ChildProcess server, CleanStop cleanStop, DriverProcess driver) {
    this.name = name;
    this.server = server;
    this.cleanStop = cleanStop;
    this.driver = driver;
  }

  /** A server that ends at a signal. */
  TableServer(String name, ChildProcess server, DriverProcess driver) {
    this(name, server, process -> process.stop(STOP_PATIENCE), driver);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<ProcessHandle> servers() {
    return server.isAlive() ? List.of(server.handle()) : List.of();
  }

  @Override
  public List<ProcessHandle> clients() {
    return List.of(driver.handle());
  }

  /** Waits until the server does what it is there for: it can create a table. */
  TableServer ready() throws Exception {
    long start = System.nanoTime();
    for (int attempt = 0; ; attempt++) {
      server.checkAlive();
      // Another name each time: an attempt that failed may have created half a table.
      String table = "ready" + attempt;
      try {
        var _ = driver.ask("create " + table, START_PATIENCE);
        var _ = driver.ask("drop " + table, PATIENCE);
        return this;
      } catch (IllegalStateException e) {
        if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
          throw new UnavailableException(
              "%s is not ready within %s; it said last:%n%s"
                  .formatted(name, START_PATIENCE, server.lastLines()),
              e);
        }
      }
      Thread.sleep(PAUSE);
    }
  }

  /** Asks for something that takes a known time. */
  Sample ask(String request, Duration length) throws InterruptedException {
    server.checkAlive();
    return driver.ask(request, length.plus(PATIENCE));
  }

  /** Asks for something that takes as long as it takes. */
  Sample ask(String request) throws InterruptedException {
    server.checkAlive();
    return driver.ask(request, LONG_PATIENCE);
  }

  void launch() {
    server.launch();
  }

  void stop() throws Exception {
    cleanStop.stop(server);
  }

  /** As a crash would: with no chance to write anything more. */
  void kill() {
    server.kill();
  }

  @Override
  public void close() throws InterruptedException {
    try {
      driver.close();
    } finally {
      server.kill();
    }
  }
}
