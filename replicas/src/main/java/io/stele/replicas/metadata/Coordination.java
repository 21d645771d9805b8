package io.stele.replicas.metadata;

import io.stele.base.event.Subscription;
import java.util.List;
import java.util.Optional;

/**
 * What replicated tables need of the coordination service. Calls may block, and throw {@code
 * Unavailable} while it cannot be asked, or {@code OutcomeUnknown} where a change may have been
 * made.
 */
public interface Coordination {
  /** A table's configuration, and the version that a change must name. */
  record Kept(TableConfig config, long version) {}

  /**
   * A server that has a session.
   *
   * @param id of its data directory
   */
  record LiveServer(String id, String address, long freeBytes, long totalBytes) {}

  /** All tables, in the order of their names. */
  List<Kept> tables();

  Optional<Kept> table(String name);

  /** False, and nothing is changed, if there is a table of that name, of whatever kind. */
  boolean create(TableConfig config);

  /**
   * False, and nothing is changed, if the version is another by now. Makes a new, higher version,
   * also of an equal configuration: whoever asks for a change of an older one has lost.
   */
  boolean replace(TableConfig config, long version);

  /** False, and nothing is changed, if the version is another by now. */
  boolean delete(String name, long version);

  /** Servers that live, in the order of their ids. */
  List<LiveServer> servers();

  /**
   * Calls, on some thread, soon after tables or servers have changed; now and then without need.
   */
  Subscription watch(Runnable changed);

  /**
   * Whether this server is the one that looks after all tables: at most one is, most of the time.
   */
  boolean leads();
}
