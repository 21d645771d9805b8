package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.engine.fragment.CellCursor;
import java.util.Set;

/**
 * A fragment of which only some families count, because a schema change moved the others to another
 * group. Row erasures and marks of requests belong to no family and always count.
 */
public final class FamilyFilterCursor implements CellCursor {
  private final CellCursor source;
  private final Set<Bytes> families;
  private final KeyCopy asked = new KeyCopy();
  private boolean askedAny;
  private boolean answer;

  public FamilyFilterCursor(CellCursor source, Set<Bytes> families) {
    this.source = source;
    this.families = families;
  }

  @Override
  public boolean seek(CellView target) {
    return source.seek(target) && (counts(source.cell()) || next());
  }

  @Override
  public boolean next() {
    while (source.next()) {
      if (counts(source.cell())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CellView cell() {
    return source.cell();
  }

  @Override
  public void close() {
    source.close();
  }

  private boolean counts(CellView cell) {
    if (cell.kind == CellKind.ERASE_ROW || RequestMark.is(cell)) {
      return true;
    }
    if (!askedAny || !asked.view().sameFamily(cell)) {
      asked.setFamily(cell);
      askedAny = true;
      answer = families.contains(cell.family());
    }
    return answer;
  }
}
