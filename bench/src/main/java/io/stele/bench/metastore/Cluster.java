package io.stele.bench.metastore;

import io.stele.base.error.UnavailableException;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.ResidentMemory;
import io.stele.bench.measure.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The running members of one side, which together are one store. */
final class Cluster implements AutoCloseable {
  // etcd reads its whole index before it answers: minutes for tens of millions of keys.
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final Duration PATIENCE_PER_TRY = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(5);

  /** How to speak to members that run. */
  interface Connector {
    /** Opens a connection; may fail as long as the members are not ready. */
    Driver connect(List<Member> members) throws Exception;
  }

  /** Something that may fail as long as members are not ready. */
  interface Probe {
    CompletableFuture<?> send(Driver driver);
  }

  private final Path directory;
  private final List<Member> members;
  private final Connector connector;

  Cluster(Path directory, List<Member> members, Connector connector) {
    this.directory = directory;
    this.members = List.copyOf(members);
    this.connector = connector;
  }

  Driver connect() throws Exception {
    checkAlive();
    return connector.connect(members);
  }

  /** Starts all members, which must not run. */
  void start() throws IOException {
    for (Member member : members) {
      member.start();
    }
  }

  void stop() throws InterruptedException {
    for (Member member : members) {
      member.stop();
    }
  }

  void checkAlive() {
    members.forEach(Member::checkAlive);
  }

  /** Asks again and again until there is an answer. */
  void await(String what, Probe probe) throws Exception {
    long start = System.nanoTime();
    while (true) {
      checkAlive();
      try (Driver driver = connector.connect(members)) {
        probe.send(driver).get(PATIENCE_PER_TRY.toMillis(), TimeUnit.MILLISECONDS);
        return;
      } catch (ExecutionException | TimeoutException | UnavailableException e) {
        if (e.getCause() instanceof WrongAnswerException wrong) {
          throw wrong;
        }
        if (System.nanoTime() - start > PATIENCE.toNanos()) {
          throw new UnavailableException(
              "%s: no answer within %s; the first member said last:%n%s"
                  .formatted(what, PATIENCE, members.getFirst().lastWords()),
              e);
        }
      }
      Thread.sleep(PAUSE);
    }
  }

  List<ProcessHandle> processes() {
    return members.stream().map(Member::handle).toList();
  }

  ResidentMemory memory() throws IOException {
    return ResidentMemory.of(processes());
  }

  /** Bytes of all files of all members. */
  long diskBytes() throws IOException {
    return Workspace.bytes(directory);
  }

  @Override
  public void close() throws InterruptedException {
    stop();
  }
}
