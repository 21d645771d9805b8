package io.stele.tables.meta;

import static io.stele.tables.meta.Configs.rows;
import static io.stele.tables.meta.Configs.tablet;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.MetaProblem.Kind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MetaVerifierTest {
  private static final MetaVerifier VERIFIER =
      new MetaVerifier(file -> true, location -> true, (file, rows) -> true);

  /** "One meta table invariant is that there are no holes in the row space." */
  @Test
  void tabletsThatBeginWhereTheOneBeforeEndedAreAsTheyMustBe() {
    assertThat(verify(tablet("", "!"))).isEmpty();
    assertThat(verify(tablet("", "a"), tablet("a", "c"), tablet("c", "!"))).isEmpty();
  }

  /** "if cfg.firstRow < firstRow: reportOverlap() # case 1" */
  @Test
  void anOverlapIsReported() {
    assertThat(verify(tablet("", "a"), tablet("a", "b"), tablet("a", "c"), tablet("c", "!")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(Kind.OVERLAP);
              assertThat(problem.table()).isEqualTo("t");
              assertThat(problem.row()).isEqualTo(tablet("a", "c").metaRow());
              assertThat(problem.explanation())
                  .contains("begins behind row \"a\"", "ends with row \"b\"");
              assertThat(problem.repaired()).isFalse();
            });
  }

  /** "else if cfg.firstRow > firstRow: reportGap() # case 2" */
  @Test
  void aGapIsReported() {
    assertThat(verify(tablet("", "a"), tablet("b", "c"), tablet("c", "!")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(Kind.GAP);
              assertThat(problem.row()).isEqualTo(tablet("b", "c").metaRow());
              assertThat(problem.explanation())
                  .contains("begins behind row \"b\"", "ends with row \"a\"");
            });
  }

  /** "verifyMeta misses an absent final tablet." */
  @Test
  void anAbsentFinalTabletIsReported() {
    assertThat(verify(tablet("", "a"), tablet("a", "c")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(Kind.LAST_TABLET_MISSING);
              assertThat(problem.row()).isEqualTo(MetaRows.tablet("t", Optional.empty()));
              assertThat(problem.explanation()).contains("ends with row \"c\"");
            });
    assertThat(kinds(verify())).containsExactly(Kind.LAST_TABLET_MISSING);
  }

  @Test
  void anAbsentFirstTabletIsReported() {
    assertThat(kinds(verify(tablet("a", "c"), tablet("c", "!"))))
        .containsExactly(Kind.FIRST_TABLET_MISSING);
  }

  @Test
  void everyProblemIsReportedInTheOrderOfMeta() {
    assertThat(kinds(verify(tablet("0", "b"), tablet("a", "c"), tablet("d", "e"))))
        .containsExactly(
            Kind.FIRST_TABLET_MISSING, Kind.OVERLAP, Kind.GAP, Kind.LAST_TABLET_MISSING);
  }

  @Test
  void filesThatAreNamedAndAbsentAreReported() {
    MetaVerifier verifier =
        new MetaVerifier(
            file -> !file.name().equals("lost"), location -> true, (file, rows) -> true);
    assertThat(verifier.verify(rows(tablet("", "a", "1", "lost"), tablet("a", "!", "1"))))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(Kind.FILE_MISSING);
              assertThat(problem.row()).isEqualTo(tablet("", "a").metaRow());
              assertThat(problem.explanation()).contains("default", "fragments/lost");
            });
  }

  @Test
  void locationsThatDoNotExistAreReportedAndNoLocationIsNone() {
    MetaVerifier verifier =
        new MetaVerifier(file -> true, "elsewhere:1"::equals, (file, rows) -> true);
    TabletConfig unserved = tablet("a", "!").withServer("", List.of());
    assertThat(verifier.verify(rows(tablet("", "a"), unserved)))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(Kind.UNKNOWN_LOCATION);
              assertThat(problem.explanation()).contains("server:1");
            });
  }

  @Test
  void whatCannotBeReadIsReportedAndNothingGuessedAroundIt() {
    Bytes damaged = tablet("a", "b").metaRow();
    TableRows rows =
        new TableRows(
            "t",
            List.of(tablet("", "a"), tablet("b", "!")),
            List.of(new TableRows.UnreadableRow(damaged, "expected this, found that")),
            Optional.of("group \"g\" is wrong"));
    List<MetaProblem> problems = VERIFIER.verify(rows);
    assertThat(kinds(problems)).containsExactly(Kind.INVALID_SCHEMA, Kind.UNREADABLE);
    assertThat(problems.getFirst().explanation()).contains("group \"g\" is wrong");
    assertThat(problems.getLast().explanation()).contains("expected this, found that");
    assertThat(problems.getLast().row()).isEqualTo(damaged);
  }

  private static List<MetaProblem> verify(TabletConfig... tablets) {
    return VERIFIER.verify(rows(tablets));
  }

  private static List<Kind> kinds(List<MetaProblem> problems) {
    return problems.stream().map(MetaProblem::kind).toList();
  }
}
