package io.stele.tables.meta;

import static io.stele.tables.meta.Configs.rows;
import static io.stele.tables.meta.Configs.tablet;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.MetaProblem.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MetaRepairTest {
  private static final MetaVerifier VERIFIER =
      new MetaVerifier(file -> true, location -> true, (file, rows) -> true);
  private static final MetaRepair REPAIR = new MetaRepair(VERIFIER);

  /**
   * "If the failure happens after 0 or 2 cells have been written, there's nothing to worry about."
   */
  @Test
  void withNoneOrBothCellsWrittenThereIsNothingToDo() {
    assertThat(plan(tablet("", "a"), tablet("a", "c"), tablet("c", "!"))).isEmpty();
    assertThat(plan(tablet("", "a"), tablet("a", "b"), tablet("b", "c"), tablet("c", "!")))
        .isEmpty();
  }

  /** "#1 written: (A,?..a) (B,a..b) (C,a..c)"; "case 1 -- delete prev cell to repair" */
  @Test
  void withTheLowerHalfOnlyItIsErased() {
    List<TabletConfig> tablets =
        List.of(tablet("", "a"), tablet("a", "b"), tablet("a", "c"), tablet("c", "!"));
    List<MetaRepair.Step> steps = REPAIR.plan(TableRows.of("t", tablets));
    assertThat(steps).hasSize(1);
    assertThat(steps.getFirst().change()).contains(Cell.eraseRow(tablet("a", "b").metaRow()));
    assertThat(steps.getFirst().problem().kind()).isEqualTo(Kind.OVERLAP);
    assertThat(steps.getFirst().problem().repair()).contains("erase", "up to row \"b\"");
    assertThat(steps.getFirst().problem().repaired()).isFalse();
    assertThat(steps.getFirst().repaired().repaired()).isTrue();
    assertThat(VERIFIER.verify(TableRows.of("t", apply(tablets, steps)))).isEmpty();
  }

  /** "#2 written: (A,?..a) (C,b..c)"; "case 2 -- fix current cell to repair" */
  @Test
  void withTheUpperHalfOnlyItIsMadeToBeginEarlier() {
    List<TabletConfig> tablets = List.of(tablet("", "a"), tablet("b", "c"), tablet("c", "!"));
    List<MetaRepair.Step> steps = REPAIR.plan(TableRows.of("t", tablets));
    assertThat(steps).hasSize(1);
    assertThat(steps.getFirst().change())
        .contains(
            Cell.put(
                tablet("b", "c").metaRow(),
                Bytes.utf8("first"),
                Bytes.EMPTY,
                tablet("b", "c").revision() + 1,
                Bytes.utf8("a")));
    assertThat(steps.getFirst().problem().repair()).contains("begin behind row \"a\"");
    assertThat(VERIFIER.verify(TableRows.of("t", apply(tablets, steps)))).isEmpty();
  }

  /**
   * A join writes the joined tablet, and then erases the lower one. The two may have come to their
   * server at different times: the joined tablet needs the log from the later one on.
   */
  @Test
  void withTheJoinedTabletWrittenTheLowerOneIsErased() {
    TabletConfig lower = tablet("a", "b", "1");
    TabletConfig both = from(tablet("a", "c", "1", "2"), 9);
    List<TabletConfig> tablets = List.of(tablet("", "a"), lower, both, tablet("c", "!"));
    List<MetaRepair.Step> steps = REPAIR.plan(TableRows.of("t", tablets));
    assertThat(steps).hasSize(1);
    assertThat(steps.getFirst().change()).contains(Cell.eraseRow(lower.metaRow()));
    assertThat(plan(tablet("", "a"), from(lower, 12), both, tablet("c", "!")))
        .as("a lower tablet that is newer than what it was joined to")
        .singleElement()
        .satisfies(step -> assertThat(step.change()).isEmpty());
  }

  private static TabletConfig from(TabletConfig tablet, long txn) {
    return tablet.withServer(
        tablet.location(), List.of(new LogRef(tablet.log().orElseThrow().directory(), txn)));
  }

  /** A tablet whose files have no rows of the gap is not the upper half of a split. */
  @Test
  void aGapThatNoSplitLeftIsOnlyExplained() {
    List<RowRange> asked = new ArrayList<>();
    MetaRepair repair =
        new MetaRepair(
            new MetaVerifier(
                file -> true,
                location -> true,
                (file, rows) -> {
                  asked.add(rows);
                  return false;
                }));
    assertThat(repair.plan(rows(tablet("", "a"), tablet("b", "c", "1"), tablet("c", "!"))))
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.change()).isEmpty();
              assertThat(step.problem().kind()).isEqualTo(Kind.GAP);
              assertThat(step.problem().explanation()).contains("not left by a split");
            });
    assertThat(asked)
        .containsExactly(new RowRange(Bytes.utf8("a").successor(), Bytes.utf8("b").successor()));
  }

  /** The same with the first tablet of the table, whose lower half is the first tablet. */
  @Test
  void aSplitOfTheFirstTabletIsRepairedInBothCases() {
    for (List<TabletConfig> tablets :
        List.of(
            List.of(tablet("", "b"), tablet("", "!")),
            List.of(tablet("b", "!")),
            List.of(tablet("", "b"), tablet("", "c"), tablet("c", "!")),
            List.of(tablet("b", "c"), tablet("c", "!")))) {
      List<MetaRepair.Step> steps = REPAIR.plan(TableRows.of("t", tablets));
      assertThat(steps).hasSize(1);
      assertThat(VERIFIER.verify(TableRows.of("t", apply(tablets, steps)))).isEmpty();
    }
  }

  /** "delete previous cell; refuse if lower bounds differ" */
  @Test
  void anOverlapOfTabletsThatBeginElsewhereIsOnlyExplained() {
    assertThat(plan(tablet("", "a"), tablet("a", "c"), tablet("b", "d"), tablet("d", "!")))
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.change()).isEmpty();
              assertThat(step.problem().kind()).isEqualTo(Kind.OVERLAP);
              assertThat(step.problem().repair()).isEmpty();
              assertThat(step.problem().explanation()).contains("begins behind row \"a\"");
              assertThat(step.repaired().repaired()).isFalse();
            });
  }

  /** The halves of a split share files and log "before allowing the file set to diverge". */
  @Test
  void aLowerHalfThatNamesMoreThanTheUpperIsNotErased() {
    TabletConfig upper = tablet("a", "!", "1", "2");
    TabletConfig otherFile = tablet("a", "b", "1", "3");
    TabletConfig otherLog =
        tablet("a", "b", "1").withServer("server:1", List.of(new LogRef(FilePath.of("logs/2"), 1)));
    for (TabletConfig lower : List.of(otherFile, otherLog)) {
      assertThat(plan(tablet("", "a"), lower, upper))
          .singleElement()
          .satisfies(
              step -> {
                assertThat(step.change()).isEmpty();
                assertThat(step.problem().explanation()).contains("files or a log of its own");
              });
    }
    assertThat(plan(tablet("", "a"), tablet("a", "b", "2"), upper))
        .singleElement()
        .satisfies(step -> assertThat(step.change()).isPresent());
  }

  /** What a server wrote that is gone yields to the tablet that another server has. */
  @Test
  void aLateHalfIsTakenBackOnlyWhereTheOtherServerLives() {
    TabletConfig lower = tablet("a", "b", "1");
    TabletConfig whole = tablet("a", "!", "1", "2");
    List<LogRef> log = List.of(new LogRef(FilePath.of("logs/2"), 1));
    TabletConfig takenLower = tablet("a", "b", "3").withServer("heir:1", log);
    TabletConfig takenWhole = tablet("a", "!", "3").withServer("heir:1", log);
    TabletConfig first = tablet("", "a");
    assertThat(late(List.of(takenWhole), first, lower, takenWhole))
        .as("the lower half of a split")
        .containsExactly(Cell.eraseRow(lower.metaRow()));
    assertThat(late(List.of(takenLower), first, takenLower, whole))
        .as("a joined tablet")
        .containsExactly(TabletCells.firstCell(whole.withFirst(Bytes.utf8("b"))));
    assertThat(late(List.of(), first, lower, takenWhole)).as("both are gone").isEmpty();
    assertThat(late(List.of(), first, takenLower, whole)).as("both are gone").isEmpty();
    assertThat(late(List.of(lower, takenWhole), first, lower, takenWhole))
        .as("both live")
        .isEmpty();
    assertThat(late(List.of(takenWhole), first, lower.withServer("", List.of()), takenWhole))
        .as("given up by its server")
        .isEmpty();
    assertThat(late(List.of(takenWhole), first, tablet("", "b", "1"), takenWhole))
        .as("another beginning")
        .isEmpty();
  }

  private static List<Cell> late(List<TabletConfig> live, TabletConfig... tablets) {
    return REPAIR.planHalves(rows(tablets), tablet -> !live.contains(tablet)).stream()
        .map(step -> step.change().orElseThrow())
        .toList();
  }

  /** "We have to guess at a good starting point and keep retrying or scan from the beginning." */
  @Test
  void anOverlapThatReachesFarBackIsSeenFromTheBeginning() {
    List<TabletConfig> tablets = new ArrayList<>();
    tablets.add(tablet("", "a"));
    for (char last = 'b'; last < 'y'; last++) {
      tablets.add(tablet("" + (char) (last - 1), "" + last));
    }
    tablets.add(tablet("a", "y"));
    tablets.add(tablet("y", "!"));
    List<MetaRepair.Step> steps = REPAIR.plan(TableRows.of("t", tablets));
    assertThat(steps)
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.problem().row()).isEqualTo(tablet("a", "y").metaRow());
              assertThat(step.change()).as("erasing the one before it would lose rows").isEmpty();
            });
  }

  @Test
  void severalHalvesAreErasedAndAGapBeforeThemClosed() {
    List<TabletConfig> tablets =
        List.of(
            tablet("", "a"),
            tablet("x", "x1"),
            tablet("x", "x2"),
            tablet("x", "y"),
            tablet("y", "!"));
    List<MetaRepair.Step> steps = REPAIR.plan(TableRows.of("t", tablets));
    assertThat(steps.stream().map(step -> step.problem().kind()))
        .containsExactly(Kind.OVERLAP, Kind.OVERLAP, Kind.GAP);
    assertThat(VERIFIER.verify(TableRows.of("t", apply(tablets, steps)))).isEmpty();
  }

  @Test
  void everythingElseIsExplainedAndUntouched() {
    MetaRepair repair =
        new MetaRepair(new MetaVerifier(file -> false, location -> false, (file, rows) -> false));
    TableRows rows =
        new TableRows(
            "t",
            List.of(tablet("", "a")),
            List.of(new TableRows.UnreadableRow(tablet("a", "b").metaRow(), "bad")),
            Optional.of("bad"));
    List<MetaRepair.Step> steps = repair.plan(rows);
    assertThat(steps.stream().map(step -> step.problem().kind()))
        .containsExactlyInAnyOrder(
            Kind.INVALID_SCHEMA,
            Kind.UNREADABLE,
            Kind.FILE_MISSING,
            Kind.UNKNOWN_LOCATION,
            Kind.LAST_TABLET_MISSING);
    assertThat(steps).allMatch(step -> step.change().isEmpty());
    assertThat(steps).allMatch(step -> step.problem().repair().isEmpty());
  }

  /** "if prev == cfg: reportGap()": right, except that the first tablet has none before it. */
  @Test
  void loadingFindsAGapButNotBeforeTheFirstTablet() {
    assertThat(check(tablet("b", "c"), tablet("", "a"), tablet("b", "c"), tablet("c", "!")))
        .contains(Kind.GAP);
    assertThat(check(tablet("", "a"), tablet("", "a"), tablet("a", "!"))).isEmpty();
    assertThat(check(tablet("", "!"), tablet("", "!"))).isEmpty();
    assertThat(check(tablet("a", "c"), tablet("a", "b"), tablet("a", "c")))
        .as("the one before is missing and another is in between")
        .contains(Kind.GAP);
  }

  /** "if prev != cfg: reportOverlap()": must be prev2, else every tablet but the first overlaps. */
  @Test
  void loadingFindsAnOverlapAndOnlyWhereThereIsOne() {
    assertThat(check(tablet("a", "c"), tablet("", "a"), tablet("a", "b"), tablet("a", "c")))
        .contains(Kind.OVERLAP);
    assertThat(check(tablet("", "c"), tablet("", "b"), tablet("", "c"))).contains(Kind.OVERLAP);
    assertThat(check(tablet("a", "c"), tablet("", "a"), tablet("a", "c"), tablet("c", "!")))
        .isEmpty();
    assertThat(check(tablet("a", "!"), tablet("", "a"), tablet("a", "!"))).isEmpty();
  }

  @Test
  void loadingFindsThatTheRowIsGone() {
    assertThat(check(tablet("a", "c"), tablet("", "a"))).contains(Kind.GAP);
    assertThat(check(tablet("", "c"))).contains(Kind.GAP);
  }

  /**
   * After half a join or half a split. Once loaded, the tablet would have a log of its own, and
   * nobody could tell any more that the one behind it has all its rows.
   */
  @Test
  void loadingFindsThatTheTabletBehindHasTheSameRows() {
    TabletConfig before = tablet("", "a");
    assertThat(check(tablet("a", "c"), before, tablet("a", "c"), tablet("a", "e")))
        .contains(Kind.OVERLAP);
    assertThat(check(tablet("a", "c"), before, tablet("a", "c"), tablet("b", "e")))
        .contains(Kind.OVERLAP);
    assertThat(check(tablet("", "c"), tablet("", "c"), tablet("", "e"))).contains(Kind.OVERLAP);
    assertThat(check(tablet("a", "c"), before, tablet("a", "c"), tablet("c", "e"))).isEmpty();
    assertThat(check(tablet("a", "c"), before, tablet("a", "c"), tablet("d", "e")))
        .as("a gap behind it is no concern of this one")
        .isEmpty();
  }

  private static Optional<Kind> check(TabletConfig tablet, TabletConfig... meta) {
    var range = MetaRows.tabletsFrom("t", tablet.first());
    List<TabletConfig> scanned =
        List.of(meta).stream().filter(each -> range.contains(each.metaRow())).limit(3).toList();
    return LoadCheck.check(tablet, scanned).map(problem -> problem.kind());
  }

  private static List<MetaRepair.Step> plan(TabletConfig... tablets) {
    return REPAIR.plan(rows(tablets));
  }

  /** What META has after the changes: erased rows are gone, and puts are read as any cells are. */
  private static List<TabletConfig> apply(List<TabletConfig> tablets, List<MetaRepair.Step> steps) {
    List<TabletConfig> after = new ArrayList<>(tablets);
    for (MetaRepair.Step step : steps) {
      Cell change = step.change().orElseThrow();
      after.replaceAll(
          tablet -> {
            if (change.kind() != CellKind.PUT || !tablet.metaRow().equals(change.row())) {
              return tablet;
            }
            List<Cell> cells = new ArrayList<>(Configs.puts(tablet));
            cells.removeIf(
                cell ->
                    cell.family().equals(change.family())
                        && cell.qualifier().equals(change.qualifier()));
            cells.add(change);
            return TabletCells.load(cells);
          });
      after.removeIf(
          tablet -> change.kind() == CellKind.ERASE_ROW && tablet.metaRow().equals(change.row()));
    }
    return after;
  }
}
