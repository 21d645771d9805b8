package io.stele.server.cluster;

import io.stele.base.error.SteleException;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Session;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.Watcher;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.Membership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who takes part, as keys of the metastore that go with their sessions: see {@link ClusterKeys}.
 */
final class MetastoreMembership implements Membership {
  private final MetastoreClient metastore;

  MetastoreMembership(MetastoreClient metastore) {
    this.metastore = metastore;
  }

  @Override
  public List<LiveServer> live() {
    List<LiveServer> live = new ArrayList<>();
    for (KeyValue key : metastore.range(Keys.prefix(ClusterKeys.SERVERS))) {
      live.add(new LiveServer(key.key().substring(ClusterKeys.SERVERS.length()), key.text()));
    }
    return live;
  }

  @Override
  public Set<String> draining() {
    return addresses(ClusterKeys.DRAIN);
  }

  @Override
  public Set<String> known() {
    return addresses(ClusterKeys.KNOWN);
  }

  private Set<String> addresses(String prefix) {
    Set<String> addresses = new HashSet<>();
    for (KeyValue key : metastore.range(Keys.prefix(prefix))) {
      addresses.add(key.key().substring(prefix.length()));
    }
    return addresses;
  }

  @Override
  public void setDraining(String address, boolean draining) {
    if (draining) {
      // Not in place of one that goes with the session of a server that is about to stop.
      metastore
          .transaction()
          .when(ClusterKeys.DRAIN + address)
          .isAbsent()
          .then(Step.put(ClusterKeys.DRAIN + address, address))
          .commit();
    } else {
      metastore.delete(ClusterKeys.DRAIN + address);
    }
  }

  /** Takes part, for as long as the session lives. */
  static void join(Session session, String run, String address) {
    String known = ClusterKeys.KNOWN + address;
    session.transaction().when(known).isAbsent().then(Step.put(known, "")).commit();
    session.put(ClusterKeys.SERVERS + run, address);
  }

  /** Takes no more tablets until the session ends, unless that was so anyway. */
  static void leave(Session session, String address) {
    String key = ClusterKeys.DRAIN + address;
    session.transaction().when(key).isAbsent().then(Step.put(key, "0").owned(session)).commit();
  }

  /** Says how many steps of leaving it has taken, unless people have drained it. */
  static void leave(Session session, String address, int steps) {
    String key = ClusterKeys.DRAIN + address;
    session
        .transaction()
        .when(key)
        .session()
        .isEqualTo(session.id())
        .then(Step.put(key, Integer.toString(steps)).owned(session))
        .commit();
  }

  /** Servers that are about to stop, by their addresses, and the steps that they have taken. */
  Map<String, Integer> leaving() {
    Map<String, Integer> steps = new HashMap<>();
    for (KeyValue key : metastore.range(Keys.prefix(ClusterKeys.DRAIN))) {
      if (key.session() != 0) {
        steps.put(key.key().substring(ClusterKeys.DRAIN.length()), Integer.parseInt(key.text()));
      }
    }
    return steps;
  }

  /**
   * Calls the listener whenever a server has come or gone, until it is closed. It is a hint and no
   * more: who listens also looks by himself now and then, so a watch that ends is no harm.
   */
  Watcher watch(Runnable changed) {
    return metastore.watch(Keys.prefix(ClusterKeys.SERVERS), new Hint(changed));
  }

  private record Hint(Runnable changed) implements WatchListener {
    @Override
    public void changed(long revision, List<KeyEvent> events) {
      changed.run();
    }

    @Override
    public void compacted(long oldest) {
      changed.run();
    }

    @Override
    public void failed(SteleException problem) {
      changed.run();
    }
  }
}
