package io.stele.bench.report;

import io.stele.cli.Json;
import io.stele.cli.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The results of one run, for people and for programs.
 *
 * @param verdict why they must not be recorded, in the first line, if so
 * @param head on what they were found, and how, by name
 * @param peerColumn the title of the column with the peer's figures
 * @param failures what gave no results
 */
public record Report(
    Optional<String> verdict,
    Map<String, String> head,
    String peerColumn,
    List<Result> results,
    List<String> failures) {
  public Report {
    results = List.copyOf(results);
    failures = List.copyOf(failures);
  }

  /** All of it, for people. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    verdict.ifPresent(line -> text.append(line).append("\n\n"));
    head.forEach((name, fact) -> text.append("%-11s %s%n".formatted(name, fact)));
    text.append('\n').append(toTable());
    failures.forEach(failure -> text.append(failure).append('\n'));
    return text.toString();
  }

  /** A table; ratios above 1 mean that Stele is better. */
  public String toTable() {
    TextTable table =
        new TextTable("CASE", "UNIT", "STELE", peerColumn, "RATIO", "GOAL", "MET", "NOTE");
    for (Result result : results) {
      table.row(
          result.name(),
          result.unit(),
          Figures.text(result.stele()),
          text(result.peer(), "absent"),
          text(result.ratio(), "-"),
          text(result.goal(), "-"),
          result.met().map(met -> met ? "yes" : "NO").orElse("-"),
          result.note());
    }
    return table.toString();
  }

  /**
   * An array of {@code {"case", "unit", "stele", "peer", "peerName", "ratio", "goal", "met",
   * "note"}}; what is not known because the peer is absent is null, and so is a goal that was not
   * set.
   */
  public String toJson() {
    return Json.write(results.stream().map(Report::fields).toList());
  }

  private static Map<String, @Nullable Object> fields(Result result) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("case", result.name());
    fields.put("unit", result.unit());
    fields.put("stele", Figures.number(result.stele()));
    fields.put("peer", number(result.peer()));
    fields.put("peerName", result.peerName());
    fields.put("ratio", number(result.ratio()));
    fields.put("goal", number(result.goal()));
    fields.put("met", result.met().orElse(null));
    fields.put("note", result.note());
    return fields;
  }

  private static String text(@Nullable Double figure, String instead) {
    return figure == null ? instead : Figures.text(figure);
  }

  private static @Nullable Number number(@Nullable Double figure) {
    return figure == null ? null : Figures.number(figure);
  }
}
