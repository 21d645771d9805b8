package io.stele.tables.files;

import io.stele.base.file.FilePath;
import io.stele.base.table.MetaProblem;
import io.stele.tables.meta.MetaVerifier;
import io.stele.tables.meta.TableRows;
import io.stele.tables.meta.TabletConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * When a collector of files must stop. It takes every file that META does not name for superfluous,
 * so it must not believe a META that cannot be right, or take files that it does not understand.
 */
public final class CollectionCheck {
  private static final Pattern KNOWN = Pattern.compile("[0-9]+\\.(frag|log)|FENCED");

  /** So few files may always go: of a small store most are superfluous after a compaction. */
  static final int FEW = 100;

  private CollectionCheck() {}

  /**
   * Rows that no tablet has, or that two have: there may be a tablet of which META tells nothing.
   */
  public static Optional<String> brokenMeta(List<TabletConfig> tablets) {
    MetaVerifier verifier = new MetaVerifier(_ -> true, _ -> true, (_, _) -> false);
    Map<String, List<TabletConfig>> tables = new LinkedHashMap<>();
    for (TabletConfig tablet : tablets) {
      tables.computeIfAbsent(tablet.table(), _ -> new ArrayList<>()).add(tablet);
    }
    return tables.entrySet().stream()
        .flatMap(table -> verifier.verify(TableRows.of(table.getKey(), table.getValue())).stream())
        .map(MetaProblem::explanation)
        .findFirst()
        .map(
            problem ->
                "META is not whole, and may name fewer files than there are tablets for: "
                    + problem
                    + "; `stele meta verify` shows all, `stele meta repair` repairs what it can");
  }

  /** A file of a kind that this version of Stele does not know. */
  public static Optional<String> unknownName(Collection<FilePath> files) {
    return files.stream()
        .filter(file -> !KNOWN.matcher(file.name()).matches())
        .findFirst()
        .map(
            file ->
                file
                    + " is neither a fragment nor a log: another version of Stele, or another"
                    + " program, writes here; move it away if it is not needed");
  }

  /**
   * More files than a collector may take by itself.
   *
   * @param all there are
   * @param orphans superfluous ones of servers that are gone, which nobody has let go of
   */
  public static Optional<String> tooMany(int all, int orphans) {
    return orphans <= FEW || orphans * 2L <= all
        ? Optional.empty()
        : Optional.of(
            "%d of %d files, all of servers that are gone, are named by nothing, which is more than"
                    .formatted(orphans, all)
                + " half: look at `stele table list` and `stele meta verify`; if no table is"
                + " missing, `stele cluster gc` moves them to the trash");
  }
}
