package io.stele.engine.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.ListCursor;
import io.stele.engine.fragment.RandomCells;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The deletion policies of a group's schema, each test under the words that ask for it. */
class PurgePolicyTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes FAMILY = Bytes.utf8("family");
  private static final Bytes COLUMN = Bytes.utf8("column");
  private static final long NOW = 1_000;

  /** "max-history=(num-revisions)". */
  @Test
  void maxHistoryKeepsSoManyRevisions() {
    PurgePolicy policy = PurgePolicy.parse("max-history=3");

    assertThat(policy).isEqualTo(new PurgePolicy.MaxHistory(3));
    assertThat(kept(policy, 100, 200, 300, 400, 500)).containsExactly(500L, 400L, 300L);
    assertThat(kept(policy, 100, 200)).containsExactly(200L, 100L);
    assertThat(policy.countsHistory()).isTrue();
  }

  /** "max-age=(microseconds)". */
  @Test
  void maxAgeKeepsWhatIsAtMostSoOld() {
    PurgePolicy policy = PurgePolicy.parse("max-age=250");

    assertThat(policy).isEqualTo(new PurgePolicy.MaxAge(250));
    assertThat(kept(policy, 100, 749, 750, 751, 1000, 2000))
        .containsExactly(2000L, 1000L, 751L, 750L);
    assertThat(policy.countsHistory()).isFalse();
  }

  /** '"and" … combination (e.g. "max-age=T and max-history=K")': both must want it gone. */
  @Test
  void andPurgesWhatBothPurge() {
    PurgePolicy policy = PurgePolicy.parse("max-age=250 and max-history=2");

    assertThat(kept(policy, 100, 200)).as("old, but few").containsExactly(200L, 100L);
    assertThat(kept(policy, 800, 850, 900)).as("many, but young").containsExactly(900L, 850L, 800L);
    assertThat(kept(policy, 100, 200, 800, 900)).containsExactly(900L, 800L);
    assertThat(kept(policy, 100, 200, 300)).containsExactly(300L, 200L);
  }

  /** '… "or" combination': one that wants it gone is enough. */
  @Test
  void orPurgesWhatEitherPurges() {
    PurgePolicy policy = PurgePolicy.parse("max-age=250 or max-history=2");

    assertThat(kept(policy, 100, 200)).as("few, but old").isEmpty();
    assertThat(kept(policy, 800, 850, 900)).as("young, but many").containsExactly(900L, 850L);
    assertThat(kept(policy, 100, 900)).containsExactly(900L);
  }

  @Test
  void andBindsCloserThanOr() {
    assertThat(PurgePolicy.parse("max-history=9 or max-age=5 and max-history=2"))
        .isEqualTo(
            new PurgePolicy.Either(
                new PurgePolicy.MaxHistory(9),
                new PurgePolicy.Both(new PurgePolicy.MaxAge(5), new PurgePolicy.MaxHistory(2))));
  }

  @ParameterizedTest
  @CsvSource({
    "none, none",
    "' NONE ', none",
    "'max-history = 3', max-history=3",
    "'  Max-Age=7   and  max-history=1 ', max-age=7 and max-history=1",
    "max-age=0 or max-history=2147483647, max-age=0 or max-history=2147483647",
    "max-age=9223372036854775807, max-age=9223372036854775807",
  })
  void theTextFormIsReadAndWritten(String text, String normal) {
    PurgePolicy policy = PurgePolicy.parse(text);

    assertThat(policy).hasToString(normal);
    assertThat(PurgePolicy.parse(policy.toString())).isEqualTo(policy);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "max-history",
        "max-history=",
        "max-history=x",
        "max-history=3.5",
        "max-history=99999999999",
        "max-age=1h",
        "maxage=3",
        "max-age=3 max-history=2",
        "max-age=3 and",
        "and",
        "max-age=3 and none",
        "none or none",
      })
  void whatIsNotAPolicyIsRefusedWithTheWholeText(String text) {
    assertThatThrownBy(() -> PurgePolicy.parse(text))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"" + text + "\"")
        .hasMessageContaining("max-history=COUNT, max-age=AGE or none");
  }

  @Test
  void countsAndAgesOutOfRangeAreRefused() {
    assertThatThrownBy(() -> PurgePolicy.parse("max-history=0"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("max-history=0: must be at least 1");
    assertThatThrownBy(() -> PurgePolicy.parse("max-age=-1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("max-age=-1: must not be negative");
  }

  /** Purging goes by the column: versions of one do not count against another. */
  @Test
  void everyColumnHasItsOwnHistory() {
    List<Cell> cells = new ArrayList<>();
    for (String column : new String[] {"a", "b"}) {
      for (long time = 1; time <= 3; time++) {
        cells.add(Cell.put(ROW, FAMILY, Bytes.utf8(column), time, Bytes.EMPTY).withTxn(time));
      }
    }

    assertThat(visible(cells, PurgePolicy.parse("max-history=1")))
        .extracting(Cell::qualifier, Cell::timestamp)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(Bytes.utf8("a"), 3L),
            org.assertj.core.groups.Tuple.tuple(Bytes.utf8("b"), 3L));
  }

  /** What reads show at once is what a rewrite leaves in the file. */
  private static List<Long> kept(PurgePolicy policy, long... times) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < times.length; i++) {
      // Committed in no particular order of time.
      long txn = 1 + (i * 7L + 3) % times.length;
      cells.add(Cell.put(ROW, FAMILY, COLUMN, times[i], Bytes.EMPTY).withTxn(txn));
    }
    List<Cell> seen = visible(cells, policy);
    RetainCursor rewrite =
        new RetainCursor(new ListCursor(cells), SnapshotSet.NONE, Older.NONE, policy, NOW);
    List<Cell> rewritten = new ArrayList<>();
    while (rewrite.next()) {
      rewritten.add(rewrite.cell().toCell());
    }
    assertThat(rewritten).isEqualTo(seen);
    return seen.stream().map(Cell::timestamp).toList();
  }

  private static List<Cell> visible(List<Cell> cells, PurgePolicy policy) {
    return RandomCells.drain(
        new VisibleCursor(
            new ListCursor(cells), false, Long.MAX_VALUE, ReadPredicate.ALL, policy, NOW));
  }
}
