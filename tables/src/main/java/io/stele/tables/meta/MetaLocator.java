package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.TabletLocation;
import io.stele.base.table.TabletLocator;
import io.stele.base.text.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds tablets by META. A hole may be a split or join that is under way, so it is looked for again
 * before it is reported.
 */
public final class MetaLocator implements TabletLocator {
  private static final int READS_BEFORE_A_HOLE_IS_REPORTED = 3;

  private final MetaTable meta;

  public MetaLocator(MetaTable meta) {
    this.meta = meta;
  }

  @Override
  public List<TabletLocation> locate(String table, Bytes row, int most) {
    if (most < 1) {
      throw new InvalidRequestException(
          most + " tablets of table \"" + table + "\": must ask for at least one");
    }
    for (int reads = 1; ; reads++) {
      List<TabletLocation> found = withoutHoles(row, meta.tabletsFrom(table, row, most));
      if (!found.isEmpty()) {
        return found;
      }
      checkExists(table);
      if (reads == READS_BEFORE_A_HOLE_IS_REPORTED) {
        throw new UnavailableException(
            "META has no tablet of table \"" + table + "\" with row \"" + row + "\": try again");
      }
    }
  }

  /** The tablets from the one with the row up to the first hole; none if that is there. */
  private static List<TabletLocation> withoutHoles(Bytes row, List<TabletConfig> configs) {
    List<TabletLocation> found = new ArrayList<>();
    for (TabletConfig config : configs) {
      TabletLocation next = new TabletLocation(config.first(), config.last(), config.location());
      boolean follows =
          found.isEmpty()
              ? next.holds(row)
              : found.getLast().last().equals(Optional.of(next.first()));
      if (!follows) {
        return found;
      }
      found.add(next);
    }
    return found;
  }

  private void checkExists(String table) {
    if (MetaLevel.of(table) != MetaLevel.META1) {
      return; // META0 and META1 always exist, be it that nobody has made them yet
    }
    if (meta.schema(table).value().isEmpty()) {
      throw new NotFoundException(
          "table \""
              + table
              + "\" does not exist"
              + NearestName.of(table, meta.tables())
                  .map(nearest -> "; did you mean \"" + nearest + "\"?")
                  .orElse(""));
    }
  }
}
