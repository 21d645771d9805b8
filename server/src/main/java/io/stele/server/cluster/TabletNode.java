package io.stele.server.cluster;

import io.stele.base.error.FencedException;
import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.metastore.Session;
import io.stele.engine.cache.BlockCache;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.nativeapi.Serving;
import io.stele.server.front.TableFront;
import io.stele.tables.ClusterPlace;
import io.stele.tables.TabletServer;
import io.stele.tables.txn.SessionLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A node's tablet server. It lives as long as its session: when that is lost the server is dropped
 * as a crash would drop it, and another begins under a new session and a new name, with nothing.
 */
final class TabletNode implements SessionLoop.Work {
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(8);

  private final ClusterNodeSettings settings;
  private final ClusterParts parts;
  private final NativeServer gateway;
  private final TableFront front;
  private final Events events;
  private volatile String run = ""; // none while it does not take part
  private volatile @Nullable TabletServer current; // none while it does not take part

  TabletNode(
      ClusterNodeSettings settings,
      ClusterParts parts,
      NativeServer gateway,
      TableFront front,
      Events events) {
    this.settings = settings;
    this.parts = parts;
    this.gateway = gateway;
    this.front = front;
    this.events = events;
  }

  private String what() {
    return "tablet server " + settings.address();
  }

  /** The name under which it takes part; empty while it does not. */
  String run() {
    return run;
  }

  /** Nothing while it does not take part. */
  Optional<TabletServer> tabletServer() {
    return Optional.ofNullable(current);
  }

  @Override
  public SessionLoop.Tenure begin(Session session, Runnable alarm) {
    parts.checkFiles(what(), events);
    long lastRun =
        parts.metastore().get(ClusterKeys.RUNS).map(kept -> Long.parseLong(kept.text())).orElse(0L);
    String name = ClusterKeys.run(lastRun, session.id());
    DiskCheck.run(parts.files(), parts.logs(), name);
    TabletServer server =
        TabletServer.builder(parts.files(), parts.root())
            .address(settings.address())
            .settings(settings.server())
            .clock(Clock.system())
            .random(RandomSource.system())
            .cache(new BlockCache(settings.cacheBytes()))
            .events(events::publish)
            .probe(new RunProbe(parts.membership()))
            .cluster(new ClusterPlace(name, lease(session), parts.meta(), parts.logs()))
            .open();
    Tenure tenure = new Tenure(session, server);
    boolean joined = false;
    try {
      tenure.serve();
      var _ = server.failure().whenComplete((_, cause) -> failed(cause, alarm));
      // Last: as soon as it is known it is given tablets.
      MetastoreMembership.join(session, name, settings.address());
      joined = true;
      current = server;
      run = name;
      events.publish(new ClusterEvent.Joined(settings.address(), name));
      return tenure;
    } finally {
      if (!joined) {
        tenure.abandon();
      }
    }
  }

  private SessionLease lease(Session session) {
    return new SessionLease(session::isAlive, parts.clock(), settings.session().dividedBy(2));
  }

  /** A server that cannot write is of no use: another one, with a log of its own, may be. */
  private void failed(@Nullable Throwable failure, Runnable alarm) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause != null && !(cause instanceof FencedException)) { // a lost session, or its own end
      events.publish(new ClusterEvent.LogFailed(what(), cause));
    }
    alarm.run();
  }

  private final class Tenure implements SessionLoop.Tenure {
    private final Session session;
    private final TabletServer server;
    private final List<Serving> served = new ArrayList<>();

    Tenure(Session session, TabletServer server) {
      this.session = session;
      this.server = server;
    }

    void serve() {
      served.add(front.serve(server.locator())); // does not leave this server where META is here
      served.add(front.serveRows(server));
      served.add(gateway.serve(server.control()));
    }

    @Override
    public void abandon() {
      stopServing();
      server.abandon();
    }

    private void stopServing() {
      run = "";
      current = null;
      var _ = front.serve(parts.locator()); // before: without one, all tables would seem to be here
      served.forEach(Serving::close);
    }

    /** Hands its tablets to others while they are served, and gives up what is left itself. */
    @Override
    public void end() {
      new Departure(settings.address(), parts).handOver(session, server.control());
      stopServing();
      closeInTime();
    }

    private void close() {
      try {
        server.close();
      } catch (SteleException e) {
        events.publish(new ClusterEvent.LeftInHaste(what(), String.valueOf(e.getMessage())));
      }
    }

    private void closeInTime() {
      Thread closing = Thread.ofVirtual().name("stele-unload").start(this::close);
      try {
        if (!closing.join(CLOSE_PATIENCE)) {
          events.publish(
              new ClusterEvent.LeftInHaste(
                  what(),
                  "META did not take their configurations within "
                      + CLOSE_PATIENCE.toSeconds()
                      + " s"));
          server.abandon();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        server.abandon();
      }
    }
  }
}
