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
   * @param rack what it shares with servers that may fail together with it
   */
  record LiveServer(
      String id, String address, long freeBytes, long totalBytes, Optional<String> rack) {
    public LiveServer(String id, String address, long freeBytes, long totalBytes) {
      this(id, address, freeBytes, totalBytes, Optional.empty());
    }

    /** Its rack; a server without one shares nothing with others. */
    public String place() {
      return rack.map(each -> "rack " + each).orElse("server " + id);
    }
  }

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

  /** The version of a table that the service does not list. */
  long UNLISTED = 0;

  /**
   * Drops a table, and records that the table of this id was dropped: absence alone is never a
   * reason to delete anything. The record stays for ever.
   *
   * @param version of its configuration, or {@link #UNLISTED} to only write the record
   * @return false, and nothing is changed, if the version is another by now
   */
  boolean drop(TableConfig config, long version);

  /** Whether the drop of a table is on record. */
  boolean isDropped(String table);

  /** The id of the cluster that the tables belong to; none in a service that was never used. */
  Optional<String> cluster();

  /** Names the cluster; false, and nothing is changed, if it is not named as expected by now. */
  boolean nameCluster(Optional<String> expected, String id);

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
