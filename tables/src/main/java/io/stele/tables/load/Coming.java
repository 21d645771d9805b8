package io.stele.tables.load;

import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A tablet on its way here.
 *
 * @param config as it was read; if it takes writes here already, as it is now
 * @param files those of the configuration, without the families that were added to the schema since
 *     it was saved
 * @param owedLogs of other runs, oldest first, that must be read for it
 * @param isNew nothing has been flushed here for it that a replay must be put before
 */
record Coming(
    Table table,
    Tablet tablet,
    TabletConfig config,
    SortedMap<String, List<FragmentRef>> files,
    List<LogRef> owedLogs,
    boolean isNew) {

  /** One that is not here yet. */
  static Coming of(
      Table table, TabletConfig config, SortedMap<String, List<FragmentRef>> files, Home home) {
    // What this run's own log says of a tablet that is not here is in its files.
    List<LogRef> owed =
        config.logs().stream().filter(log -> !log.directory().equals(home.log())).toList();
    return new Coming(table, new Tablet(table.name()), config, files, owed, true);
  }

  /** One that takes writes already, but could not be read when it was loaded. */
  static Coming again(Table table, TabletView view, Home home) {
    return new Coming(
        table,
        view.tablet(),
        home.serving(table, view, 0, 0),
        view.files(),
        view.owedLogs(),
        false);
  }

  /** A placeholder; cells in memory do not count for it. */
  TabletView view(TabletState state) {
    return new TabletView(
        tablet,
        config.first(),
        config.last(),
        state,
        0,
        0,
        files,
        Optional.empty(),
        owedLogs,
        table.view().origins().revision());
  }
}
