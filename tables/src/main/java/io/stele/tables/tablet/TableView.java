package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.schema.FamilyMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A table at one moment: its schema, what is in memory, and its tablets on this server in the order
 * of their rows. Immutable: whoever holds one sees a consistent whole, whatever is flushed,
 * compacted, split or unloaded meanwhile.
 *
 * @param origins since when it has its families, and the revision of its schema in META
 * @param schemaVersion another number for every schema the table has had here
 * @param groups in the order of the schema's
 * @param tablets without overlaps; there are holes where tablets are not here
 */
public record TableView(
    TableSchema schema,
    FamilyOrigins origins,
    long schemaVersion,
    FamilyMap families,
    List<GroupView> groups,
    List<TabletView> tablets) {
  public TableView {
    groups = List.copyOf(groups);
    tablets = List.copyOf(tablets);
  }

  public static TableView empty(TableSchema schema) {
    return empty(schema, FamilyOrigins.CREATED);
  }

  public static TableView empty(TableSchema schema, FamilyOrigins origins) {
    List<GroupView> groups = new ArrayList<>();
    for (GroupSchema group : schema.groups()) {
      groups.add(GroupView.empty(group));
    }
    return new TableView(schema, origins, 1, new FamilyMap(schema), groups, List.of());
  }

  /** The tablet that holds a row, if it is here. */
  public Optional<TabletView> find(Bytes row) {
    TabletView found = at(indexFrom(row));
    return found != null && found.contains(row) ? Optional.of(found) : Optional.empty();
  }

  public Optional<TabletView> find(Tablet tablet) {
    return tablets.stream().filter(view -> view.tablet() == tablet).findFirst();
  }

  /** The index of the first tablet that ends at or behind a row. */
  public int indexFrom(Bytes row) {
    int low = 0;
    int high = tablets.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      Optional<Bytes> last = tablets.get(middle).last();
      if (last.isPresent() && last.get().compareTo(row) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private @Nullable TabletView at(int index) {
    return index < tablets.size() ? tablets.get(index) : null;
  }

  public TableView withTablets(List<TabletView> newTablets) {
    return new TableView(schema, origins, schemaVersion, families, groups, newTablets);
  }

  public TableView withGroups(List<GroupView> newGroups) {
    return new TableView(schema, origins, schemaVersion, families, newGroups, tablets);
  }

  public TableView withGroup(int index, GroupView group) {
    List<GroupView> changed = new ArrayList<>(groups);
    changed.set(index, group);
    return withGroups(changed);
  }

  /** With one tablet changed; the same if it is not here. */
  public TableView withTablet(Tablet tablet, UnaryOperator<TabletView> change) {
    List<TabletView> changed = new ArrayList<>(tablets);
    changed.replaceAll(view -> view.tablet() == tablet ? change.apply(view) : view);
    return withTablets(changed);
  }

  public TableView without(Tablet tablet) {
    return withTablets(tablets.stream().filter(view -> view.tablet() != tablet).toList());
  }

  /** With more tablets, whose rows no tablet here has. */
  public TableView with(List<TabletView> more) {
    List<TabletView> all = new ArrayList<>(tablets);
    all.addAll(more);
    all.sort(Comparator.comparing(TabletView::first));
    return withTablets(all);
  }

  /** Bytes in memory, of all groups. */
  public long memoryBytes() {
    return groups.stream().mapToLong(GroupView::bytes).sum();
  }
}
