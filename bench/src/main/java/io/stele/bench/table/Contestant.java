package io.stele.bench.table;

import io.stele.base.error.UnavailableException;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.ResidentMemory;
import io.stele.bench.table.ycsb.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A side's running server, and the driver that asks it. */
final class Contestant implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LONG_PATIENCE = Duration.ofHours(3);
  private static final Duration START_PATIENCE = Duration.ofMinutes(3);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** How its server is asked to end cleanly, and waited for. */
  interface CleanStop {
    void stop(Member server) throws Exception;
  }

  private final String name;
  private final Member server;
  private final CleanStop cleanStop;
  private final DriverProcess driver;

  Contestant(String name, Member server, CleanStop cleanStop, DriverProcess driver) {
    this.name = name;
    this.server = server;
    this.cleanStop = cleanStop;
    this.driver = driver;
  }

  String name() {
    return name;
  }

  /** Waits until the server does what it is there for: it can make a table. */
  void awaitReady() throws Exception {
    long start = System.nanoTime();
    for (int attempt = 0; ; attempt++) {
      server.checkAlive();
      // Another name each time: an attempt that failed may have made half a table.
      String table = "ready" + attempt;
      try {
        var _ = driver.ask("create " + table, START_PATIENCE);
        var _ = driver.ask("drop " + table, PATIENCE);
        return;
      } catch (IllegalStateException e) {
        if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
          throw new UnavailableException(
              "%s is not ready within %s; it said last:%n%s"
                  .formatted(name, START_PATIENCE, server.lastWords()),
              e);
        }
      }
      Thread.sleep(PAUSE);
    }
  }

  /** Asks for something that takes a known time. */
  Answer ask(String request, Duration length) throws InterruptedException {
    server.checkAlive();
    return driver.ask(request, length.plus(PATIENCE));
  }

  /** Asks for something that takes as long as it takes. */
  Answer ask(String request) throws InterruptedException {
    server.checkAlive();
    return driver.ask(request, LONG_PATIENCE);
  }

  void startServer() throws IOException {
    server.start();
  }

  void stopServer() throws Exception {
    cleanStop.stop(server);
  }

  /** As a crash would: with no chance to write anything more. */
  void killServer() throws InterruptedException {
    server.kill();
  }

  List<ProcessHandle> servers() {
    return List.of(server.handle());
  }

  List<ProcessHandle> clients() {
    return List.of(driver.handle());
  }

  ResidentMemory memory() throws IOException {
    return ResidentMemory.of(servers());
  }

  @Override
  public void close() throws InterruptedException {
    try {
      driver.close();
    } finally {
      server.close();
    }
  }
}
