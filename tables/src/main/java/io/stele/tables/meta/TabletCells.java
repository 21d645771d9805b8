package io.stele.tables.meta;

import static io.stele.tables.meta.MetaSchema.FIRST;
import static io.stele.tables.meta.MetaSchema.FRAGMENTS;
import static io.stele.tables.meta.MetaSchema.LOCATION;
import static io.stele.tables.meta.MetaSchema.LOG;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A tablet's configuration as cells of its META row, each with the revision as its timestamp.
 *
 * <pre>
 *   first:             word                          the row before its first; empty for the first tablet
 *   location:          word                          the server's address; left out if nobody has it
 *   log:               log (SP log)*                 oldest first; left out if there is none to replay
 *   log:stamped        micros                        the newest time that a server gave its cells, apart from
 *                                                    what logs say; left out if not known
 *   log:schema         revision (SP revision)*       of the schema that the fragments are as of, then each
 *                                                    log; left out if all are the first
 *   fragments:GROUP    fragment (SP fragment)*       oldest first
 *   log             := word SP txn                   a directory, and what it is replayed behind
 *   fragment        := word                          all of it counts
 *                    | word "=" [word ("," word)*]   only these families, and row erasures, count
 *   word            := see MetaText
 * </pre>
 */
public final class TabletCells {
  private static final String STAMPED = "stamped";
  private static final String SCHEMA = "schema";

  private TabletCells() {}

  /**
   * Adds what makes the row say this and nothing else, whatever it said before: within one batch,
   * an erasure of the row hides older cells only.
   */
  public static void save(TabletConfig config, CellBatchBuilder batch) {
    Bytes row = config.metaRow();
    batch.add(Cell.eraseRow(row));
    put(batch, row, FIRST, "", config.revision(), MetaText.escape(config.first()));
    config
        .fragments()
        .forEach(
            (group, chain) ->
                put(batch, row, FRAGMENTS, group, config.revision(), chainText(chain)));
    if (!config.location().isEmpty()) {
      put(batch, row, LOCATION, "", config.revision(), MetaText.escape(config.location()));
    }
    if (!config.logs().isEmpty()) {
      put(batch, row, LOG, "", config.revision(), logText(config.logs()));
    }
    if (config.stampedTo() > 0) {
      put(batch, row, LOG, STAMPED, config.revision(), Long.toString(config.stampedTo()));
    }
    List<Long> schemas = schemas(config);
    if (schemas.stream().anyMatch(each -> each != FamilyOrigins.FIRST)) {
      put(batch, row, LOG, SCHEMA, config.revision(), schemaText(schemas));
    }
  }

  private static List<Long> schemas(TabletConfig config) {
    List<Long> schemas = new ArrayList<>();
    schemas.add(config.schemaRevision());
    config.logs().forEach(log -> schemas.add(log.schemaRevision()));
    return schemas;
  }

  private static String schemaText(List<Long> schemas) {
    return schemas.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  /** Tablets as rows of META, for who reads them by {@link #loadAll}. */
  public static CellBatch saveAll(Collection<TabletConfig> configs) {
    CellBatchBuilder batch = new CellBatchBuilder();
    configs.forEach(config -> save(config, batch));
    return batch.build();
  }

  /** The tablets that {@link #saveAll} was given, in the order of their rows. */
  public static List<TabletConfig> loadAll(CellBatch batch) {
    List<Cell> puts = new ArrayList<>();
    CellBatch.Reader cells = batch.read();
    while (cells.next()) {
      if (cells.cell().kind == CellKind.PUT) {
        puts.add(cells.cell().toCell());
      }
    }
    return loadRows(puts);
  }

  /**
   * The tablets that cells describe, in the order of their rows.
   *
   * @param cells the newest version of each column, of any number of tablets' rows
   */
  public static List<TabletConfig> loadRows(Collection<Cell> cells) {
    SortedMap<Bytes, List<Cell>> rows = new TreeMap<>();
    cells.forEach(cell -> rows.computeIfAbsent(cell.row(), _ -> new ArrayList<>()).add(cell));
    return rows.values().stream().map(TabletCells::load).toList();
  }

  /** Adds what removes a tablet from META. */
  public static void erase(TabletKey tablet, CellBatchBuilder batch) {
    batch.add(Cell.eraseRow(tablet.metaRow()));
  }

  /** The cell that a tablet's lower bound is in. */
  static Cell firstCell(TabletConfig config) {
    return Cell.put(
        config.metaRow(),
        FIRST,
        Bytes.EMPTY,
        config.revision(),
        Bytes.utf8(MetaText.escape(config.first())));
  }

  /**
   * Reads a tablet's row.
   *
   * @param cells the newest version of each column, all of one row
   * @throws CorruptDataException that names the row, the column and what was found
   */
  public static TabletConfig load(List<Cell> cells) {
    Bytes row = cells.getFirst().row();
    if (!(MetaRows.parse(row) instanceof MetaRows.MetaRow.Tablet tablet)) {
      throw new CorruptDataException("META", 0, "the row of a tablet", MetaRows.describe(row));
    }
    Bytes first = null;
    String location = "";
    List<LogRef> logs = List.of();
    SortedMap<String, List<FragmentRef>> fragments = new TreeMap<>();
    long stampedTo = 0;
    long revision = 0;
    @Nullable Cell schemas = null;
    for (Cell cell : cells) {
      revision = Math.max(revision, cell.timestamp());
      if (cell.family().equals(FRAGMENTS) && !cell.qualifier().isEmpty()) {
        fragments.put(cell.qualifier().toUtf8(), chain(cell));
      } else if (cell.family().equals(FIRST) && cell.qualifier().isEmpty()) {
        first = word(cell, text(cell));
      } else if (cell.family().equals(LOCATION) && cell.qualifier().isEmpty()) {
        location = plain(cell, text(cell));
      } else if (cell.family().equals(LOG) && cell.qualifier().isEmpty()) {
        logs = logs(cell);
      } else if (cell.family().equals(LOG) && cell.qualifier().equals(Bytes.utf8(STAMPED))) {
        stampedTo = number(cell, text(cell), "a time in microseconds");
      } else if (cell.family().equals(LOG) && cell.qualifier().equals(Bytes.utf8(SCHEMA))) {
        schemas = cell;
      } else {
        throw corrupt(cell, 0, "a column of a tablet");
      }
    }
    TabletConfig config =
        config(row, tablet, first, location, logs, fragments, stampedTo, revision);
    return schemas == null ? config : withSchemas(config, schemas);
  }

  private static TabletConfig withSchemas(TabletConfig config, Cell cell) {
    String[] parts = text(cell).split(" ", -1);
    if (parts.length != config.logs().size() + 1) {
      throw corrupt(
          cell,
          0,
          "a revision of the schema, and one for each of " + config.logs().size() + " logs");
    }
    List<LogRef> logs = new ArrayList<>();
    for (int i = 1; i < parts.length; i++) {
      LogRef log = config.logs().get(i - 1);
      logs.add(new LogRef(log.directory(), log.fromTxn(), number(cell, parts[i], "a revision")));
    }
    return new TabletConfig(
        config.table(),
        config.first(),
        config.last(),
        config.location(),
        logs,
        config.fragments(),
        config.stampedTo(),
        number(cell, parts[0], "a revision"),
        config.revision());
  }

  private static TabletConfig config(
      Bytes row,
      MetaRows.MetaRow.Tablet tablet,
      @Nullable Bytes first,
      String location,
      List<LogRef> logs,
      SortedMap<String, List<FragmentRef>> fragments,
      long stampedTo,
      long revision) {
    if (first == null) {
      throw new CorruptDataException(
          "META, " + MetaRows.describe(row), 0, "a column first:", "none");
    }
    try {
      return new TabletConfig(
          tablet.table(),
          first,
          tablet.last(),
          location,
          logs,
          fragments,
          stampedTo,
          FamilyOrigins.FIRST,
          revision);
    } catch (InvalidRequestException e) {
      throw new CorruptDataException(
          "META, " + MetaRows.describe(row) + ", column first:",
          0,
          "a row before the tablet's last",
          "\"" + first + "\"");
    }
  }

  private static String chainText(List<FragmentRef> chain) {
    return chain.stream().map(TabletCells::fragmentText).collect(Collectors.joining(" "));
  }

  private static String fragmentText(FragmentRef fragment) {
    String path = MetaText.escape(fragment.path().value());
    return fragment
        .families()
        .map(
            only ->
                new TreeSet<>(only)
                    .stream()
                        .map(MetaText::escape)
                        .collect(Collectors.joining(",", path + "=", "")))
        .orElse(path);
  }

  private static List<FragmentRef> chain(Cell cell) {
    List<FragmentRef> chain = new ArrayList<>();
    Set<FilePath> seen = new HashSet<>();
    for (String text : text(cell).split(" ", -1)) {
      int mark = text.indexOf('=');
      FilePath path = path(cell, mark < 0 ? text : text.substring(0, mark));
      if (!seen.add(path)) {
        throw corrupt(cell, 0, "each file once");
      }
      chain.add(
          mark < 0
              ? FragmentRef.whole(path)
              : FragmentRef.restricted(path, families(cell, text.substring(mark + 1))));
    }
    return chain;
  }

  private static Set<Bytes> families(Cell cell, String text) {
    Set<Bytes> families = new TreeSet<>();
    if (!text.isEmpty()) {
      for (String family : text.split(",", -1)) {
        families.add(word(cell, family));
      }
    }
    return families;
  }

  private static String logText(List<LogRef> logs) {
    return logs.stream()
        .map(log -> MetaText.escape(log.directory().value()) + " " + log.fromTxn())
        .collect(Collectors.joining(" "));
  }

  private static List<LogRef> logs(Cell cell) {
    String[] parts = text(cell).split(" ", -1);
    if (parts.length % 2 != 0) {
      throw corrupt(cell, 0, "a directory, a space and a transaction, once or more");
    }
    List<LogRef> logs = new ArrayList<>();
    Set<FilePath> seen = new HashSet<>();
    int at = 0;
    for (int i = 0; i < parts.length; i += 2) {
      FilePath directory = path(cell, parts[i]);
      if (!seen.add(directory)) {
        throw corrupt(cell, at, "each log once");
      }
      at += parts[i].length() + 1;
      try {
        logs.add(new LogRef(directory, Long.parseLong(parts[i + 1])));
      } catch (NumberFormatException | InvalidRequestException e) {
        throw corrupt(cell, at, "a transaction");
      }
      at += parts[i + 1].length() + 1;
    }
    return logs;
  }

  private static long number(Cell cell, String text, String expected) {
    try {
      long number = Long.parseLong(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, as a negative number is.
    }
    throw corrupt(cell, 0, expected);
  }

  private static FilePath path(Cell cell, String word) {
    try {
      FilePath path = FilePath.of(plain(cell, word));
      if (!path.equals(FilePath.ROOT)) {
        return path;
      }
    } catch (InvalidRequestException e) {
      // Told below, as an empty path is.
    }
    throw corrupt(cell, 0, "a file path");
  }

  private static String plain(Cell cell, String word) {
    Bytes bytes = word(cell, word);
    if (!Bytes.utf8(bytes.toUtf8()).equals(bytes)) {
      throw corrupt(cell, 0, "UTF-8");
    }
    return bytes.toUtf8();
  }

  private static Bytes word(Cell cell, String word) {
    try {
      return MetaText.unescape(word);
    } catch (Malformed e) {
      throw corrupt(cell, Math.max(0, text(cell).indexOf(word)) + e.offset(), "plain text");
    }
  }

  private static String text(Cell cell) {
    return cell.value().toUtf8();
  }

  private static CorruptDataException corrupt(Cell cell, int at, String expected) {
    return new CorruptDataException(
        "META, "
            + MetaRows.describe(cell.row())
            + ", column "
            + cell.family()
            + ":"
            + cell.qualifier(),
        at,
        expected,
        "\"" + cell.value() + "\"");
  }

  private static void put(
      CellBatchBuilder batch,
      Bytes row,
      Bytes family,
      String qualifier,
      long revision,
      String value) {
    batch.put(row, family, Bytes.utf8(qualifier), revision, Bytes.utf8(value));
  }
}
