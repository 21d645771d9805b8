package io.stele.engine.chain;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.merge.FamilyFilterCursor;
import java.util.Optional;
import java.util.Set;

/**
 * A fragment's place in a chain.
 *
 * @param families the only families of it that count here, or nothing if all do. A schema change
 *     that moves a family to another group leaves it in the files of the old one: both groups then
 *     share the file, each restricted to its own families.
 */
public record Link(Fragment fragment, Optional<Set<Bytes>> families) {
  public Link {
    families = families.map(Set::copyOf);
  }

  public static Link whole(Fragment fragment) {
    return new Link(fragment, Optional.empty());
  }

  public CellCursor cursor(TimeBounds bounds) {
    return restrict(fragment.cursor(bounds));
  }

  public Optional<CellCursor> rowCursor(CellView from) {
    return families.isEmpty()
        ? fragment.rowCursor(from)
        : fragment.rowCursor(from).map(this::restrict);
  }

  private CellCursor restrict(CellCursor cursor) {
    return families.isEmpty() ? cursor : new FamilyFilterCursor(cursor, families.get());
  }
}
