package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.MetaProblem.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Tells what is wrong with the META rows of a table. It looks only at what it is given: reading
 * META and files is up to its caller.
 *
 * <p>Tablets come in the order of their last rows. Each must begin where the one before it ended:
 *
 * <pre>
 *   before.last == first     as it must be
 *   before.last >  first     overlap
 *   before.last &lt;  first     gap
 * </pre>
 *
 * <p>The first must begin with the very first row, and the last must have no end.
 */
public final class MetaVerifier {
  private final Predicate<FilePath> fileExists;
  private final Predicate<String> locationExists;
  private final BiPredicate<FilePath, RowRange> fileHolds;

  /**
   * A verifier that also asks for what META names.
   *
   * @param fileExists is there such a fragment?
   * @param locationExists is there a server with this address?
   * @param fileHolds are there rows of a range in a fragment?
   */
  public MetaVerifier(
      Predicate<FilePath> fileExists,
      Predicate<String> locationExists,
      BiPredicate<FilePath, RowRange> fileHolds) {
    this.fileExists = fileExists;
    this.locationExists = locationExists;
    this.fileHolds = fileHolds;
  }

  /** Whether a file that a tablet names has rows of a range. */
  boolean holds(TabletConfig tablet, RowRange rows) {
    return tablet.paths().stream().anyMatch(path -> fileHolds.test(path, rows));
  }

  /** All that is wrong, in the order of META. */
  public List<MetaProblem> verify(TableRows rows) {
    List<MetaProblem> problems = new ArrayList<>();
    rows.schemaProblem()
        .ifPresent(
            problem ->
                problems.add(
                    problem(Kind.INVALID_SCHEMA, rows, MetaRows.schema(rows.table()), problem)));
    for (TableRows.UnreadableRow row : rows.unreadable()) {
      problems.add(problem(Kind.UNREADABLE, rows, row.row(), row.problem()));
    }
    Optional<TabletConfig> before = Optional.empty();
    for (TabletConfig tablet : rows.tablets()) {
      checkBegin(rows, before, tablet).ifPresent(problems::add);
      checkReferences(rows, tablet, problems);
      before = Optional.of(tablet);
    }
    checkEnd(rows).ifPresent(problems::add);
    problems.sort(Comparator.comparing(MetaProblem::row));
    return problems;
  }

  private static Optional<MetaProblem> checkBegin(
      TableRows rows, Optional<TabletConfig> before, TabletConfig tablet) {
    Bytes above = before.map(TabletConfig::metaRow).orElse(MetaRows.schema(rows.table()));
    if (rows.hasUnreadableBetween(above, tablet.metaRow())) {
      return Optional.empty(); // told already; where that tablet began and ended is not known
    }
    Bytes end = before.flatMap(TabletConfig::last).orElse(Bytes.EMPTY);
    int order = tablet.first().compareTo(end);
    if (order == 0) {
      return Optional.empty();
    }
    if (before.isEmpty()) {
      return Optional.of(
          problem(
              Kind.FIRST_TABLET_MISSING,
              rows,
              tablet.metaRow(),
              "the first tablet begins behind row \""
                  + tablet.first()
                  + "\": no tablet has the rows up to there"));
    }
    String found =
        "the tablet begins behind row \""
            + tablet.first()
            + "\" and the one before it ends with row \""
            + end
            + "\": ";
    return Optional.of(
        order < 0
            ? problem(Kind.OVERLAP, rows, tablet.metaRow(), found + "both have the rows between")
            : problem(Kind.GAP, rows, tablet.metaRow(), found + "no tablet has the rows between"));
  }

  private static Optional<MetaProblem> checkEnd(TableRows rows) {
    Bytes row = MetaRows.tablet(rows.table(), Optional.empty());
    if (rows.unreadable().stream().anyMatch(each -> each.row().equals(row))) {
      return Optional.empty();
    }
    if (rows.tablets().isEmpty()) {
      return Optional.of(
          problem(Kind.LAST_TABLET_MISSING, rows, row, "no tablet of the table can be read"));
    }
    return rows.tablets()
        .getLast()
        .last()
        .map(
            end ->
                problem(
                    Kind.LAST_TABLET_MISSING,
                    rows,
                    row,
                    "the last tablet ends with row \""
                        + end
                        + "\": no tablet has the rows behind it"));
  }

  private void checkReferences(TableRows rows, TabletConfig tablet, List<MetaProblem> problems) {
    if (!tablet.location().isEmpty() && !locationExists.test(tablet.location())) {
      problems.add(
          problem(
              Kind.UNKNOWN_LOCATION,
              rows,
              tablet.metaRow(),
              "the tablet is said to be at \""
                  + tablet.location()
                  + "\": no server is known there"));
    }
    tablet
        .fragments()
        .forEach(
            (group, chain) -> {
              for (FragmentRef fragment : chain) {
                if (!fileExists.test(fragment.path())) {
                  problems.add(
                      problem(
                          Kind.FILE_MISSING,
                          rows,
                          tablet.metaRow(),
                          "group \""
                              + group
                              + "\" names file "
                              + fragment.path()
                              + ": there is no such file"));
                }
              }
            });
  }

  private static MetaProblem problem(Kind kind, TableRows rows, Bytes row, String explanation) {
    return new MetaProblem(
        kind, rows.table(), row, MetaRows.describe(row) + ": " + explanation, "", false);
  }
}
