package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.MetaProblem.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Plans the repair of a table's META rows. Two kinds of damage are what a split leaves that wrote
 * one of its two rows, or a join that did not come to erase one; each is repaired by one cell.
 * Everything else is explained and left to people. Nothing is changed here.
 *
 * <pre>
 *   before the split                 (A, ?..a)            (C, a..c)
 *   1: only the lower half written   (A, ?..a)  (B, a..b) (C, a..c)    erase row B
 *   2: only the upper half written   (A, ?..a)            (C, b..c)    set first: of C to a
 *
 *   join of (B, a..b) and (C, b..c), which writes first and erases last
 *   1: only the joined tablet written (A, ?..a)  (B, a..b) (C, a..c)   erase row B
 *
 *   a write that a server sent before it lost its session, and that came when another server had
 *   taken over the tablet of the other row
 *   3: of the lower half of a split   (A, ?..a)  (B, a..b) [C, a..c]   erase row B
 *   4: of the joined tablet           (A, ?..a)  [B, a..b] (C, a..c)   set first: of C to b
 * </pre>
 *
 * <p>All are safe because the halves of a split share their files and their log until both rows are
 * durable, and a joined tablet has all files of both: what it does not need from the log, because
 * its first transaction there is the later one of the two, is in them. So a first half that begins
 * elsewhere, or names what the other does not, was not left by a split or join, and erasing it
 * could lose rows: that is refused. Likewise an upper half none of whose files has rows of the gap
 * before it was not left by a split: the tablet that had them is missing with its files, and to
 * close the gap would make its rows seem never to have been.
 *
 * <p>The last two are repaired only where one server is known to be gone and the other, in
 * brackets, to live, as the master knows. A server loads a tablet only if META is whole around it,
 * so it had its rows before the other row was written, and from then on META took it from nobody
 * else. The server that is gone never served what its late write says: it would have waited for its
 * second write, which META did not take. A joined tablet that is cut back has files without rows of
 * its own, as halves of a split have.
 *
 * <p>A repair needs the tablets before the damage, and how far back is not known beforehand: an
 * overlap can reach back over any number of tablets. It is therefore planned from all rows of the
 * table, from its first.
 */
public final class MetaRepair {
  /**
   * A problem, and what is to be done about it.
   *
   * @param change the one cell that repairs it; none if people must decide
   * @param beside the other tablet of an overlap, which stays as it is
   */
  public record Step(MetaProblem problem, Optional<Cell> change, Optional<TabletConfig> beside) {
    Step(MetaProblem problem, Optional<Cell> change) {
      this(problem, change, Optional.empty());
    }

    /** The problem as it is to be reported once the change is made. */
    public MetaProblem repaired() {
      return new MetaProblem(
          problem.kind(),
          problem.table(),
          problem.row(),
          problem.explanation(),
          problem.repair(),
          change.isPresent());
    }
  }

  private final MetaVerifier verifier;

  public MetaRepair(MetaVerifier verifier) {
    this.verifier = verifier;
  }

  /** Every problem of the table, in the order in which the changes are to be made. */
  public List<Step> plan(TableRows rows) {
    List<Step> steps = new ArrayList<>();
    TableRows rest = eraseHalves(rows, steps);
    for (MetaProblem problem : verifier.verify(rest)) {
      steps.add(
          switch (problem.kind()) {
            case GAP, FIRST_TABLET_MISSING -> closeGap(rest, problem);
            case OVERLAP -> refuse(rest, problem);
            case LAST_TABLET_MISSING ->
                explain(problem, "find out what became of the tablet, or make an empty one");
            case FILE_MISSING -> explain(problem, "bring the file back from a copy");
            case UNKNOWN_LOCATION -> explain(problem, "start the server, or assign the tablet");
            case INVALID_SCHEMA -> explain(problem, "set the schema anew");
            case UNREADABLE -> explain(problem, "write the row anew from what else is known");
          });
    }
    return List.copyOf(steps);
  }

  /**
   * Only what splits and joins have left that nobody can be making any more.
   *
   * @param over whether a tablet's server is gone
   */
  List<Step> planHalves(TableRows rows, Predicate<TabletConfig> over) {
    List<Step> steps = new ArrayList<>();
    TableRows rest = takeBackLate(rows, over, steps);
    TableRows gone = rest.withTablets(rest.tablets().stream().filter(over).toList());
    eraseHalves(gone, steps);
    return steps;
  }

  /** Cases 3 and 4; what is left is looked at for the others. */
  private static TableRows takeBackLate(
      TableRows rows, Predicate<TabletConfig> over, List<Step> steps) {
    List<TabletConfig> kept = new ArrayList<>();
    for (TabletConfig tablet : rows.tablets()) {
      Optional<TabletConfig> before =
          kept.isEmpty() ? Optional.empty() : Optional.of(kept.getLast());
      if (before.isEmpty() || !beginTogether(rows, before.get(), tablet)) {
        kept.add(tablet);
      } else if (isLate(before.get(), tablet, over)) {
        kept.removeLast();
        kept.add(tablet);
        steps.add(erase(rows, before.get(), tablet, "it came when another server had the whole"));
      } else if (isLate(tablet, before.get(), over)) {
        TabletConfig cut = tablet.withFirst(before.get().last().orElseThrow());
        kept.add(cut);
        steps.add(cutBack(rows, before.get(), tablet, cut));
      } else {
        kept.add(tablet);
      }
    }
    return rows.withTablets(kept);
  }

  private static boolean beginTogether(TableRows rows, TabletConfig lower, TabletConfig upper) {
    return lower.first().equals(upper.first())
        && !rows.hasUnreadableBetween(lower.metaRow(), upper.metaRow());
  }

  /** Whether a row was written by a server that is gone, and the other one is a live server's. */
  private static boolean isLate(
      TabletConfig tablet, TabletConfig other, Predicate<TabletConfig> over) {
    return over.test(tablet) && !tablet.location().isEmpty() && !over.test(other);
  }

  private static Step cutBack(
      TableRows rows, TabletConfig lower, TabletConfig joined, TabletConfig cut) {
    MetaProblem problem =
        new MetaProblem(
            Kind.OVERLAP,
            rows.table(),
            joined.metaRow(),
            joined.key()
                + ": it begins behind row \""
                + joined.first()
                + "\" as the one before it does: a join wrote it when another server had the "
                + lower.key(),
            "let the tablet begin behind row \"" + cut.first() + "\"",
            false);
    return new Step(problem, Optional.of(TabletCells.firstCell(cut)), Optional.of(lower));
  }

  /** Case 1, as often as there is one; what is left is looked at for the other. */
  private TableRows eraseHalves(TableRows rows, List<Step> steps) {
    List<TabletConfig> kept = new ArrayList<>();
    for (TabletConfig tablet : rows.tablets()) {
      while (!kept.isEmpty() && isLowerHalf(rows, kept.getLast(), tablet)) {
        steps.add(erase(rows, kept.removeLast(), tablet, "a split wrote its lower half only"));
      }
      kept.add(tablet);
    }
    return rows.withTablets(kept);
  }

  private static Step erase(TableRows rows, TabletConfig half, TabletConfig whole, String why) {
    MetaProblem problem =
        new MetaProblem(
            Kind.OVERLAP,
            rows.table(),
            whole.metaRow(),
            whole.key()
                + ": it begins behind row \""
                + whole.first()
                + "\" as the one before it does: "
                + why,
            "erase the row of the " + half.key(),
            false);
    return new Step(problem, Optional.of(Cell.eraseRow(half.metaRow())), Optional.of(whole));
  }

  private static boolean isLowerHalf(TableRows rows, TabletConfig half, TabletConfig whole) {
    return beginTogether(rows, half, whole)
        && coversLogs(whole, half)
        && files(whole).containsAll(files(half));
  }

  /**
   * Whether a tablet relies on the same logs as another one, from the same transactions or later
   * ones: what its own files have of a log it does not need from there.
   */
  private static boolean coversLogs(TabletConfig whole, TabletConfig half) {
    if (whole.logs().size() != half.logs().size()) {
      return false;
    }
    for (int i = 0; i < whole.logs().size(); i++) {
      LogRef ofWhole = whole.logs().get(i);
      LogRef ofHalf = half.logs().get(i);
      if (!ofWhole.directory().equals(ofHalf.directory()) || ofWhole.fromTxn() < ofHalf.fromTxn()) {
        return false;
      }
    }
    return true;
  }

  private static Step refuse(TableRows rows, MetaProblem problem) {
    TabletConfig tablet = at(rows, problem.row());
    TabletConfig before = rows.tablets().get(rows.tablets().indexOf(tablet) - 1);
    String why =
        before.first().equals(tablet.first())
            ? "the one before it names files or a log of its own, so it is more than half a split"
            : "the one before it begins behind row \""
                + before.first()
                + "\", so this was not left by a split";
    return explain(problem, why + "; compare what both hold");
  }

  private Step closeGap(TableRows rows, MetaProblem problem) {
    TabletConfig tablet = at(rows, problem.row());
    int index = rows.tablets().indexOf(tablet);
    Bytes end = index == 0 ? Bytes.EMPTY : rows.tablets().get(index - 1).last().orElse(Bytes.EMPTY);
    RowRange gap = TabletConfig.empty(tablet.table(), end, Optional.of(tablet.first())).range();
    if (!verifier.holds(tablet, gap)) {
      return explain(
          problem,
          "no file of the tablet has rows of the gap, so this was not left by a split; find the"
              + " files of the tablet that is missing (`stele cluster trash ls`) before anything"
              + " else");
    }
    return new Step(
        new MetaProblem(
            problem.kind(),
            problem.table(),
            problem.row(),
            problem.explanation(),
            end.isEmpty()
                ? "let the tablet begin with the first row"
                : "let the tablet begin behind row \"" + end + "\"",
            false),
        Optional.of(TabletCells.firstCell(tablet.withFirst(end))));
  }

  private static Step explain(MetaProblem problem, String advice) {
    return new Step(
        new MetaProblem(
            problem.kind(),
            problem.table(),
            problem.row(),
            problem.explanation() + "; " + advice,
            "",
            false),
        Optional.empty());
  }

  private static TabletConfig at(TableRows rows, Bytes row) {
    return rows.tablets().stream()
        .filter(tablet -> tablet.metaRow().equals(row))
        .findFirst()
        .orElseThrow();
  }

  private static Set<FilePath> files(TabletConfig tablet) {
    return tablet.fragments().values().stream()
        .flatMap(Collection::stream)
        .map(FragmentRef::path)
        .collect(Collectors.toSet());
  }
}
