package io.stele.server.replicas;

import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Subscription;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocator;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.serve.ReplicaServer;
import io.stele.server.front.ReplicatedKind;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server's replicated tables from before it has them until after it has stopped, with the names
 * of all there are.
 */
public final class ReplicatedTables implements ReplicatedKind {
  private volatile @Nullable Coordination coordination;
  private volatile @Nullable ReplicaServer server;
  private volatile Set<String> names = Set.of();

  /** From now on the metastore can be asked for names. */
  Subscription follow(Coordination asked) {
    coordination = asked;
    return asked.watch(this::learn);
  }

  void serve(ReplicaServer served) {
    server = served;
  }

  /** Whoever asks is told to ask others. */
  void stop() {
    server = null;
  }

  private synchronized void learn() {
    Coordination asked = coordination;
    if (asked != null) {
      try {
        names =
            asked.tables().stream()
                .map(kept -> kept.config().name())
                .collect(Collectors.toUnmodifiableSet());
      } catch (SteleException e) {
        // It cannot be asked: names stay as they were, and are looked for when they are missed.
      }
    }
  }

  @Override
  public boolean has(String table) {
    return names.contains(table);
  }

  @Override
  public boolean look(String table) {
    Coordination asked = coordination;
    if (asked == null) {
      throw new UnavailableException("replicated tables are not known here yet");
    }
    boolean found = asked.table(table).isPresent();
    if (found != has(table)) {
      learn();
    }
    return found;
  }

  private ReplicaServer served() {
    ReplicaServer served = server;
    if (served == null) {
      throw new NotServingException(
          "this server does not serve replicated tables: it is starting or stopping");
    }
    return served;
  }

  @Override
  public Tables rows() {
    return served();
  }

  @Override
  public TableAdmin admin() {
    return served();
  }

  @Override
  public TabletLocator locator() {
    return served();
  }

  /** What people ask of replicated tables alone. */
  public Replicas replicas() {
    return served();
  }
}
