package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.schema.FamilyMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table at one moment: its schema, what is in memory, and its tablets on this server in the order
 * of their rows. Immutable: whoever holds one sees a consistent whole, whatever is flushed,
 * compacted, split or unloaded meanwhile. A {@link TabletEdit} makes the next one of it.
 *
 * @param origins since when it has its families, and the revision of its schema in META
 * @param schemaVersion another number for every schema the table has had here
 * @param groups Invariant: those of the schema, in their order
 * @param tablets Invariant: in the order of their rows, without overlaps, each once; there are
 *     holes where tablets are not here
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
    return empty(schema, FamilyOrigins.CREATED, 1);
  }

  public static TableView empty(TableSchema schema, FamilyOrigins origins, long schemaVersion) {
    return new TableView(
        schema,
        origins,
        schemaVersion,
        new FamilyMap(schema),
        schema.groups().stream().map(GroupView::empty).toList(),
        List.of());
  }

  /**
   * Which invariant of it, of a group or of a tablet does not hold? None, unless there is a bug.
   */
  public Optional<String> flaw() {
    if (!groups.stream().map(GroupView::schema).toList().equals(schema.groups())) {
      return Optional.of("its groups are " + groups + ", and the schema's " + schema.groups());
    }
    if (!isInOrder()
        || tablets.stream().map(TabletView::tablet).distinct().count() < tablets.size()) {
      return Optional.of("tablets overlap, or are there twice: " + tablets);
    }
    return Stream.concat(
            groups.stream()
                .flatMap(group -> group.flaw().stream().map(flaw -> group + ": " + flaw)),
            tablets.stream()
                .flatMap(
                    tablet ->
                        tablet.flaw(origins, groups).stream().map(flaw -> tablet + ": " + flaw)))
        .findFirst();
  }

  boolean isInOrder() {
    for (int i = 1; i < tablets.size(); i++) {
      Optional<Bytes> end = tablets.get(i - 1).last();
      if (end.isEmpty() || end.get().compareTo(tablets.get(i).first()) > 0) {
        return false;
      }
    }
    return true;
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

  /** The index of a group, or -1. */
  public int groupIndex(String name) {
    return groups.stream().map(group -> group.schema().name()).toList().indexOf(name);
  }

  /** The tablets that have rows in a file that was written here; its index is read. */
  public Set<Tablet> sharing(DiskFragment file) {
    Set<Tablet> sharing = new HashSet<>();
    try (CellCursor cells = file.cursor(TimeBounds.ALL)) {
      for (TabletView tablet :
          tablets.subList(indexFrom(file.properties().firstRow()), tablets.size())) {
        if (tablet.first().compareTo(file.properties().lastRow()) >= 0) {
          break;
        }
        RowRange rows = tablet.range();
        if (tablet.state().isFlushed()
            && tablet.fromTxn() < file.maxTxn() // it came later: the rows are of an earlier stay
            && cells.seek(CellView.beforeRow(rows.from()))
            && rows.contains(cells.cell().row())) {
          sharing.add(tablet.tablet());
        }
      }
    }
    return sharing;
  }

  TableView withTablets(List<TabletView> newTablets) {
    return new TableView(schema, origins, schemaVersion, families, groups, newTablets);
  }

  /** With some tablets changed; those that are not here are left out. */
  TableView withTablets(Predicate<Tablet> which, UnaryOperator<TabletView> change) {
    List<TabletView> changed = new ArrayList<>(tablets);
    changed.replaceAll(view -> which.test(view.tablet()) ? change.apply(view) : view);
    return withTablets(changed);
  }

  TableView withGroups(List<GroupView> newGroups) {
    return new TableView(schema, origins, schemaVersion, families, newGroups, tablets);
  }

  TableView withGroup(int index, GroupView group) {
    List<GroupView> changed = new ArrayList<>(groups);
    changed.set(index, group);
    return withGroups(changed);
  }

  TableView without(Set<Tablet> gone) {
    return withTablets(tablets.stream().filter(view -> !gone.contains(view.tablet())).toList());
  }

  /** With more tablets, whose rows no tablet here has. */
  public TableView with(List<TabletView> more) {
    List<TabletView> all = new ArrayList<>(tablets);
    all.addAll(more);
    all.sort(Comparator.comparing(TabletView::first));
    return withTablets(all);
  }

  /** Each mem fragment once, though groups may share it after a change of the schema. */
  Set<Fragment> mems() {
    return groups.stream()
        .flatMap(group -> group.mems().stream())
        .map(Link::fragment)
        .collect(Collectors.toSet());
  }

  public long memoryBytes() {
    return mems().stream().mapToLong(Fragment::bytes).sum();
  }
}
