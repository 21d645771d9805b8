package io.stele.engine.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.ListCursor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a rewrite drops below the floor of a history. */
class HistoryRulesTest {
  private static final Bytes VERSIONS = Bytes.utf8("v");
  private static final Bytes NOTES = Bytes.utf8("n");
  private static final Bytes OTHERS = Bytes.utf8("o");

  /** Versions without a value are deletions; a note's row is its change, in one letter. */
  public static final History LETTERS =
      new History() {
        @Override
        public Part part(CellView put) {
          Bytes family = put.family();
          if (family.equals(NOTES)) {
            return Part.NOTE;
          }
          if (!family.equals(VERSIONS)) {
            return Part.NONE;
          }
          return put.valueLength == 0 ? Part.DELETION : Part.NEXT;
        }

        @Override
        public long change(CellView put) {
          return put.family().equals(NOTES) ? put.row().at(0) - 'a' : put.timestamp;
        }
      };

  private static Cell version(String row, long change) {
    return Cell.put(Bytes.utf8(row), VERSIONS, Bytes.EMPTY, change, Bytes.utf8("value"))
        .withTxn(change);
  }

  private static Cell deletion(String row, long change) {
    return Cell.put(Bytes.utf8(row), VERSIONS, Bytes.EMPTY, change, Bytes.EMPTY).withTxn(change);
  }

  private static Cell other(String row, Bytes family) {
    return Cell.put(Bytes.utf8(row), family, Bytes.EMPTY, 0, Bytes.utf8("note")).withTxn(1);
  }

  private static List<Cell> rewrite(long floor, Older older, Cell... cells) {
    RetainCursor cursor =
        new RetainCursor(
            new ListCursor(List.of(cells)),
            SnapshotSet.NONE,
            older,
            PurgePolicy.NONE,
            new HistoryFloor(LETTERS, floor),
            0);
    List<Cell> kept = new ArrayList<>();
    while (cursor.next()) {
      kept.add(cursor.cell().toCell());
    }
    return kept;
  }

  @Test
  void theNewestVersionAtOrBelowTheFloorStaysAndTheOlderOnesGo() {
    Cell[] cells = {version("k", 7), version("k", 5), version("k", 3), version("k", 2)};
    assertThat(rewrite(5, Older.NONE, cells)).containsExactly(version("k", 7), version("k", 5));
    assertThat(rewrite(4, Older.NONE, cells))
        .containsExactly(version("k", 7), version("k", 5), version("k", 3));
    assertThat(rewrite(1, Older.NONE, cells)).containsExactly(cells);
    assertThat(rewrite(HistoryFloor.NOTHING, Older.NONE, cells)).containsExactly(cells);
  }

  @Test
  void eachColumnHasANewestOfItsOwn() {
    assertThat(rewrite(9, Older.NONE, version("a", 5), version("b", 4), version("b", 3)))
        .containsExactly(version("a", 5), version("b", 4));
  }

  @Test
  void aDeletionThatIsTheNewestGoesWithAllBelowItInARootedRewrite() {
    assertThat(rewrite(5, Older.NONE, deletion("k", 5), version("k", 3))).isEmpty();
    assertThat(rewrite(5, Older.NONE, version("k", 6), deletion("k", 5), version("k", 3)))
        .containsExactly(version("k", 6));
    assertThat(rewrite(4, Older.NONE, deletion("k", 5), version("k", 3)))
        .containsExactly(deletion("k", 5), version("k", 3));
  }

  /** Without it, what it deleted would be read in the older fragment. */
  @Test
  void aDeletionStaysWhileThereAreOlderFragments() {
    Older older = new Older(true, 2);
    assertThat(rewrite(5, older, deletion("k", 5), version("k", 3)))
        .containsExactly(deletion("k", 5));
    assertThat(rewrite(5, older, version("k", 5), deletion("k", 3)))
        .containsExactly(version("k", 5));
  }

  /** Without it, the overwritten one would be read once the newer version is erased. */
  @Test
  void aVersionThatMayHaveOverwrittenAnotherStays() {
    assertThat(rewrite(5, new Older(true, 3), version("k", 5), version("k", 3)))
        .containsExactly(version("k", 5), version("k", 3));
  }

  @Test
  void aNoteGoesInAnyRewriteAndWhatHasNoPartInTheHistoryStays() {
    for (Older older : List.of(Older.NONE, Older.UNKNOWN)) {
      assertThat(rewrite(2, older, other("c", NOTES), other("d", NOTES), other("a", OTHERS)))
          .containsExactly(other("a", OTHERS), other("d", NOTES));
    }
  }
}
