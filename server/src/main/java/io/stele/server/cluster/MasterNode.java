package io.stele.server.cluster;

import io.stele.base.error.ConflictException;
import io.stele.base.event.Events;
import io.stele.client.metastore.Election;
import io.stele.client.metastore.Session;
import io.stele.client.metastore.Watcher;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.nativeapi.Serving;
import io.stele.server.front.TableFront;
import io.stele.tables.master.Master;
import io.stele.tables.master.MasterParts;
import io.stele.tables.meta.MetaTable;
import java.time.Duration;
import java.util.List;

/** A node that stands in every election of a master, and is it as long as its session lives. */
final class MasterNode implements SessionLoop.Work {
  private static final Duration IN_LINE = Duration.ofSeconds(30);

  private final ClusterNodeSettings settings;
  private final ClusterParts parts;
  private final NativeServer gateway;
  private final TableFront front;
  private final Events events;

  MasterNode(
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

  @Override
  public SessionLoop.Tenure begin(Session session, Runnable alarm) throws InterruptedException {
    parts.checkFiles("master candidate " + settings.address(), events);
    Election.Leadership lead = campaign(session);
    boolean begun = false;
    try {
      Master master =
          new Master(
              new MasterParts(
                  settings.address(),
                  lead.token(),
                  lead::isLeader,
                  parts.membership(),
                  server -> parts.control(server.address()),
                  new MetaTable(parts.meta(), parts.root()),
                  parts.root(),
                  parts.files(),
                  parts.logs(),
                  parts.clock(),
                  settings.server().compaction(),
                  settings.server().trash(),
                  events::publish),
              settings.leading());
      Watcher watcher = parts.membership().watch(master::wake);
      master.start();
      List<Serving> served = List.of(gateway.serve(master), front.serveAdmin(master.tables()));
      begun = true;
      return new Leading(master, watcher, served);
    } finally {
      if (!begun) {
        lead.close();
      }
    }
  }

  /** Waits until it leads. */
  private Election.Leadership campaign(Session session) throws InterruptedException {
    while (true) {
      try {
        return session.election(ClusterKeys.MASTER).campaign(settings.address(), IN_LINE);
      } catch (ConflictException e) {
        if (Thread.interrupted()) {
          throw new InterruptedException("closed");
        }
      }
    }
  }

  private static final class Leading implements SessionLoop.Tenure {
    private final Master master;
    private final Watcher watcher;
    private final List<Serving> served;

    Leading(Master master, Watcher watcher, List<Serving> served) {
      this.master = master;
      this.watcher = watcher;
      this.served = List.copyOf(served);
    }

    @Override
    public void abandon() {
      served.forEach(Serving::close);
      watcher.close();
      master.close();
    }

    /** The next in line leads at once: the lock goes with the session. */
    @Override
    public void end() {
      abandon();
    }
  }
}
