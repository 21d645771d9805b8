package io.stele.tables.compact;

import io.stele.base.error.FencedException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableState;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletEdit;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;

/**
 * Tells META of tablets' new rows. When that fails nobody knows what META has, so it is told what
 * is so: at once, and before anything else is changed of the table, until it succeeds. By one
 * thread at a time, under the {@link SwapGuard}.
 */
final class MetaChange {
  /**
   * What makes META right again if a change did not happen.
   *
   * @param tablets whose configurations are to be written as they are
   * @param erased rows that are no tablet's
   * @param revision what META may have is at or below it
   */
  record Correction(Table table, List<Tablet> tablets, List<TabletKey> erased, long revision) {}

  /** A split or join that was made, and what there is to report of it. */
  record Made(Edited edited, TableEvent event) {}

  private final ServerParts server;
  private final SplitConfigs saved;
  private final BiFunction<Table, TabletView, TabletConfig> configOf;
  private final List<Correction> pending = new ArrayList<>();

  MetaChange(
      ServerParts server,
      SplitConfigs saved,
      BiFunction<Table, TabletView, TabletConfig> configOf) {
    this.server = server;
    this.saved = saved;
    this.configOf = configOf;
  }

  TabletConfig configOf(Table table, TabletView tablet) {
    return configOf.apply(table, tablet);
  }

  /**
   * Makes a change of META durable, and puts the edit in place that says the same.
   *
   * <p>The thread that saves does both, so nothing of the table is saved in between: a save that
   * waits would tell META of the old rows again.
   *
   * @return the edit, of which listeners do not know yet
   * @throws UnavailableException if either failed; the other is being undone
   */
  Edited save(
      Correction undo, List<TabletConfig> written, List<TabletKey> erased, TabletEdit edit) {
    Table table = undo.table();
    AtomicReference<Optional<Edited>> made = new AtomicReference<>(Optional.empty());
    Exception cause = null;
    try {
      saved.save(table, written, erased, () -> made.set(table.put(edit)));
    } catch (RuntimeException e) {
      cause = e;
    }
    if (cause == null && made.get().isPresent()) {
      return made.get().get();
    }
    pending.add(undo);
    putRight(table);
    throw new UnavailableException(
        "tablets of table \"%s\" stay as they are, because %s"
            .formatted(
                table.name(),
                cause == null
                    ? "they changed while META was told of the change: try again"
                    : "META could not be told of the change: " + cause.getMessage()),
        cause);
  }

  boolean isPending(Table table) {
    return pending.stream().anyMatch(correction -> correction.table() == table);
  }

  /** Tells META what is so, where it may say otherwise; false if that failed. */
  boolean putRight(Table table) {
    for (Correction correction : List.copyOf(pending)) {
      if (correction.table() == table && !putRight(correction)) {
        return false;
      }
    }
    return true;
  }

  private boolean putRight(Correction correction) {
    Table table = correction.table();
    try {
      if (table.state() != TableState.UNKNOWN) {
        TableView view = table.view();
        saved.save(table, written(correction, view), erased(correction, view), () -> {});
      }
      pending.remove(correction);
      return true;
    } catch (FencedException e) {
      pending.remove(correction); // others have the tablet now, and say what is so
      return true;
    } catch (RuntimeException e) {
      server.report(
          new TableEvent.BackgroundFailed(
              "taking back a change of tablets of table " + table.name() + " in META", e));
      return false;
    }
  }

  private List<TabletConfig> written(Correction correction, TableView view) {
    List<TabletConfig> written = new ArrayList<>();
    for (TabletView tablet : view.tablets()) {
      if (correction.tablets().contains(tablet.tablet())) {
        TabletConfig config = configOf.apply(correction.table(), tablet);
        written.add(config.withRevision(Math.max(config.revision(), correction.revision() + 1)));
      }
    }
    return written;
  }

  private static List<TabletKey> erased(Correction correction, TableView view) {
    Set<TabletKey> here = new HashSet<>();
    view.tablets().forEach(each -> here.add(new TabletKey(correction.table().name(), each.last())));
    return correction.erased().stream().filter(key -> !here.contains(key)).toList();
  }
}
