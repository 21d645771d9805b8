package io.stele.tables.load;

import io.stele.base.file.FilePath;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.List;

/**
 * Where this run of the server is to be found: what the configurations of its tablets say.
 *
 * @param address as clients reach it
 * @param log the directory of its commit log, which no other run uses
 */
public record Home(String address, FilePath log) {
  /**
   * A tablet's configuration while it is served here.
   *
   * @param stampedTo the newest time that this server gave to cells
   */
  public TabletConfig serving(Table table, TabletView tablet, long stampedTo, long revision) {
    return new TabletConfig(
        table.name(),
        tablet.first(),
        tablet.last(),
        address,
        logs(tablet),
        tablet.files(),
        stampedTo,
        tablet.schemaRevision(),
        revision);
  }

  /** This run's log is the newest; before it those that are still to be replayed. */
  private List<LogRef> logs(TabletView tablet) {
    List<LogRef> logs = new ArrayList<>(tablet.owedLogs());
    logs.add(new LogRef(log, tablet.fromTxn(), tablet.schemaRevision()));
    return logs;
  }

  /** A tablet's configuration when it has left, with all its data on disk. */
  public TabletConfig left(Table table, TabletView tablet, long stampedTo, long revision) {
    return new TabletConfig(
        table.name(),
        tablet.first(),
        tablet.last(),
        "",
        List.of(),
        tablet.files(),
        stampedTo,
        tablet.schemaRevision(),
        revision);
  }
}
