package io.stele.tables.tablet;

import io.stele.engine.fragment.Fragment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An edit that was put in place, and what it made of which view. */
public record Edited(Table table, TabletEdit edit, TableView before, TableView after) {

  /** Notifies listeners; without locks. */
  public void tell() {
    edit.tell(table.events(), before, after);
  }

  /** The tablets that are here, and of which META says something else. */
  public List<Tablet> reconfigured() {
    Map<Tablet, TabletView> known = new HashMap<>();
    before.tablets().forEach(tablet -> known.put(tablet.tablet(), tablet));
    return after.tablets().stream()
        .filter(tablet -> !tablet.isConfiguredAs(known.get(tablet.tablet())))
        .map(TabletView::tablet)
        .toList();
  }

  /** Bytes of mem fragments that are no longer there. */
  public long freedMemory() {
    Set<Fragment> freed = before.mems();
    freed.removeAll(after.mems());
    return freed.stream().mapToLong(Fragment::bytes).sum();
  }
}
