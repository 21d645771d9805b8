package io.stele.server.cluster;

import io.stele.base.event.Events;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.server.front.TableFront;
import io.stele.tables.TabletServer;
import java.io.IOException;
import java.util.Optional;

/**
 * A server's part in a cluster: a tablet server, a candidate for master, or both. All of it comes
 * and goes with sessions in the metastore, so that nothing has to be there when a node starts: it
 * takes part as soon as the metastore answers.
 */
public final class ClusterNode implements AutoCloseable {
  private final ClusterNodeSettings settings;
  private final ClusterParts parts;
  private final MasterWatch master;
  private final TabletNode tabletNode;
  private final Optional<SessionLoop> tablets;
  private final Optional<SessionLoop> leading;

  private ClusterNode(
      ClusterNodeSettings settings,
      ClusterParts parts,
      MasterWatch master,
      TabletNode tabletNode,
      Optional<SessionLoop> tablets,
      Optional<SessionLoop> leading) {
    this.settings = settings;
    this.parts = parts;
    this.master = master;
    this.tabletNode = tabletNode;
    this.tablets = tablets;
    this.leading = leading;
  }

  /**
   * Begins to take part, and has the gateway serve what it does.
   *
   * @param front is given the tables that it serves
   * @param channels to other nodes; not closed with the node
   */
  public static ClusterNode start(
      ClusterNodeSettings settings,
      NativeServer gateway,
      TableFront front,
      Channels channels,
      Events events)
      throws IOException {
    ClusterParts parts = ClusterParts.open(settings, channels);
    MasterWatch master = new MasterWatch();
    master.follow(parts.metastore());
    front.sendToMaster(master);
    var _ = front.serve(parts.locator());
    TabletNode tabletNode = new TabletNode(settings, parts, gateway, front, events);
    Optional<SessionLoop> tablets = Optional.empty();
    if (settings.tables()) {
      String what = "tablet server " + settings.address();
      tablets = Optional.of(loop(what, settings, parts, tabletNode, events));
    }
    Optional<SessionLoop> leading = Optional.empty();
    if (settings.master()) {
      String what = "master candidate " + settings.address();
      MasterNode node = new MasterNode(settings, parts, gateway, front, events);
      leading = Optional.of(loop(what, settings, parts, node, events));
    }
    return new ClusterNode(settings, parts, master, tabletNode, tablets, leading);
  }

  private static SessionLoop loop(
      String what,
      ClusterNodeSettings settings,
      ClusterParts parts,
      SessionLoop.Work work,
      Events events) {
    return new SessionLoop(what, parts.metastore(), settings.session(), work, events).start();
  }

  /** The name under which its tablet server takes part; empty while it does not. */
  public String run() {
    return tabletNode.run();
  }

  /** Its tablet server; nothing while it does not take part. */
  public Optional<TabletServer> tabletServer() {
    return tabletNode.tabletServer();
  }

  /** Why it serves no tablets at the moment, if so. */
  public Optional<String> problem() {
    return run().isEmpty()
        ? Optional.of("the tablet server has no session in the metastore")
        : Optional.empty();
  }

  /** Hands over what it has, and leaves. */
  @Override
  public void close() throws IOException, InterruptedException {
    leading.ifPresent(SessionLoop::closeUnlessBegun); // not elected any more
    // The tablets first: if this node leads, it is what moves them.
    if (tablets.isPresent()) {
      tablets.get().close();
    }
    if (leading.isPresent()) {
      leading.get().close();
    }
    if (settings.member()) {
      new Departure(settings.address(), parts).awaitOthers();
    }
    master.close();
    parts.close();
  }
}
