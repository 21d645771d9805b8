package io.stele.tables.compact;

import io.stele.base.bytes.Bytes;
import io.stele.tables.compact.MetaChange.Correction;
import io.stele.tables.compact.MetaChange.Made;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.EditSaver;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.TabletsEdit.Split;
import java.util.List;
import java.util.Optional;

/**
 * One split. The upper half stays the tablet it was, the lower one is another; both have all the
 * files, until compactions part them.
 */
final class SplitRun {
  private final MetaChange meta;
  private final EditSaver saver;

  SplitRun(ServerParts server, MetaChange meta, TabletConfigs configs) {
    this.meta = meta;
    this.saver = new EditSaver(server, configs);
  }

  /**
   * Splits an active tablet; under the {@link SwapGuard}.
   *
   * @param row a row of the tablet, but not its last: the lower half ends with it
   */
  Made split(Table table, TabletView tablet, Bytes row) {
    TabletConfig old = meta.configOf(table, tablet);
    TabletConfig lower = old.withLast(Optional.of(row));
    TabletConfig upper = old.withFirst(row);
    Correction undo =
        new Correction(table, List.of(tablet.tablet()), List.of(lower.key()), upper.revision());
    Tablet another = new Tablet(table.name());
    another.use(tablet.tablet().usedNanos());
    Edited edited =
        meta.save(undo, List.of(lower, upper), List.of(), new Split(tablet, row, another));
    if (!edited.after().find(another).orElseThrow().files().equals(tablet.files())) {
      saver.save(List.of(edited), List.of(), _ -> {});
    }
    return new Made(edited, new TableEvent.Split(upper.key().toString(), lower.key().toString()));
  }
}
