package io.stele.tables.meta;

import static io.stele.tables.meta.MetaSchema.SCHEMA;

import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table's schema as cells of its META row. Anyone may write these cells, so what is read from
 * them is checked, and a mistake is answered with its group and setting.
 *
 * <pre>
 *   schema:GROUP:columns        family (SP family)*, or *
 *   schema:GROUP:purge          none, max-history=N, max-age=MICROSECONDS, joined by and, or
 *   schema:GROUP:compression    none, lz4, zstd, snappy
 *   schema:GROUP:blocksize      bytes
 *   schema:GROUP:in-memory      true, false
 *   schema::since               revision (SP family "=" revision)*: since when it has its families, and
 *                               those that differ; left out if all are from the beginning
 *   schema::maker               a master's token: the table is being made, and does not count yet
 * </pre>
 *
 * <p>All but {@code columns} may be left out.
 */
public final class SchemaCells {
  private static final String COLUMNS = "columns";
  private static final String PURGE = "purge";
  private static final String COMPRESSION = "compression";
  private static final String BLOCK_SIZE = "blocksize";
  private static final String IN_MEMORY = "in-memory";

  /** Not of a group: those have names. */
  private static final Bytes MAKER = Bytes.utf8(":maker");

  private static final Bytes SINCE = Bytes.utf8(":since");

  private SchemaCells() {}

  /** Adds what says that a table is being made, and by which master; it is none until then. */
  static void saveMaker(String table, long token, long revision, CellBatchBuilder batch) {
    batch.put(MetaRows.schema(table), SCHEMA, MAKER, revision, Bytes.utf8(Long.toString(token)));
  }

  private static boolean isMaker(Cell cell) {
    return cell.family().equals(SCHEMA) && cell.qualifier().equals(MAKER);
  }

  /** The token of the master that makes the table; none if it is made. */
  static OptionalLong maker(List<Cell> cells) {
    return cells.stream()
        .filter(SchemaCells::isMaker)
        .mapToLong(cell -> Long.parseLong(cell.value().toUtf8()))
        .findFirst();
  }

  /** Adds what makes the row say this schema and nothing else, whatever it said before. */
  public static void save(
      String table, TableSchema schema, FamilyOrigins origins, CellBatchBuilder batch) {
    if (schema.replication().isPresent()) {
      throw new InvalidRequestException(
          "schema of table \""
              + table
              + "\" with "
              + schema.replication().get().replicas()
              + " replicas: META keeps tablet tables, which have one owner and no replicas");
    }
    Bytes row = MetaRows.schema(table);
    batch.add(Cell.eraseRow(row));
    for (GroupSchema group : schema.groups()) {
      String columns = group.wildcard() ? "*" : String.join(" ", group.families());
      Map.of(
              COLUMNS, columns,
              PURGE, group.purge().toString(),
              COMPRESSION, group.compression().toString(),
              BLOCK_SIZE, Integer.toString(group.blockSize()),
              IN_MEMORY, Boolean.toString(group.inMemory()))
          .forEach(
              (setting, value) ->
                  batch.put(
                      row,
                      SCHEMA,
                      Bytes.utf8(group.name() + ":" + setting),
                      origins.revision(),
                      Bytes.utf8(value)));
    }
    if (origins.others() != FamilyOrigins.FIRST || !origins.named().isEmpty()) {
      batch.put(row, SCHEMA, SINCE, origins.revision(), Bytes.utf8(sinceText(origins)));
    }
  }

  private static String sinceText(FamilyOrigins origins) {
    StringBuilder text = new StringBuilder().append(origins.others());
    origins
        .named()
        .forEach(
            (family, since) ->
                text.append(' ').append(MetaText.escape(family)).append('=').append(since));
    return text.toString();
  }

  /**
   * Since when a table has its families.
   *
   * @param cells the newest version of each column, all of the table's schema row
   */
  public static FamilyOrigins origins(String table, List<Cell> cells) {
    long revision = cells.stream().mapToLong(Cell::timestamp).max().orElse(FamilyOrigins.FIRST);
    long others = FamilyOrigins.FIRST;
    SortedMap<Bytes, Long> named = new TreeMap<>();
    for (Cell cell : cells) {
      if (cell.family().equals(SCHEMA) && cell.qualifier().equals(SINCE)) {
        String text = cell.value().toUtf8();
        try {
          String[] words = text.split(" ", -1);
          others = Long.parseLong(words[0]);
          for (int i = 1; i < words.length; i++) {
            int mark = words[i].lastIndexOf('=');
            named.put(
                MetaText.unescape(words[i].substring(0, Math.max(0, mark))),
                Long.parseLong(words[i].substring(mark + 1)));
          }
        } catch (NumberFormatException | ByteReader.Malformed e) {
          throw new InvalidRequestException(
              "schema of table \""
                  + table
                  + "\", column schema::since: \""
                  + text
                  + "\": must be a revision, and FAMILY=REVISION for each family that differs",
              e);
        }
      }
    }
    return new FamilyOrigins(revision, others, named);
  }

  /** Adds what removes a table's schema. */
  public static void erase(String table, CellBatchBuilder batch) {
    batch.add(Cell.eraseRow(MetaRows.schema(table)));
  }

  /**
   * Reads a schema's row.
   *
   * @param cells the newest version of each column, all of the table's schema row
   * @throws InvalidRequestException that names the table, and the group and setting if it is one
   */
  public static TableSchema load(String table, List<Cell> cells) {
    Map<String, Map<String, String>> groups = new TreeMap<>();
    for (Cell cell : cells) {
      if (isMaker(cell) || (cell.family().equals(SCHEMA) && cell.qualifier().equals(SINCE))) {
        continue;
      }
      String name = cell.qualifier().toUtf8();
      int mark = name.lastIndexOf(':');
      if (!cell.family().equals(SCHEMA) || mark < 0) {
        throw new InvalidRequestException(
            "schema of table \""
                + table
                + "\": column "
                + cell.family()
                + ":"
                + cell.qualifier()
                + " is not schema:GROUP:SETTING");
      }
      groups
          .computeIfAbsent(name.substring(0, mark), any -> new TreeMap<>())
          .put(name.substring(mark + 1), cell.value().toUtf8());
    }
    List<GroupSchema> schemas = new ArrayList<>();
    groups.forEach((name, settings) -> schemas.add(group(table, name, settings)));
    try {
      return new TableSchema(schemas);
    } catch (InvalidRequestException e) {
      throw new InvalidRequestException("schema of table \"" + table + "\": " + e.getMessage(), e);
    }
  }

  private static GroupSchema group(String table, String name, Map<String, String> settings) {
    @Nullable String columns = settings.get(COLUMNS);
    if (columns == null || columns.isBlank()) {
      throw invalid(table, name, COLUMNS, "is missing: must be families, or *", null);
    }
    GroupSchema group;
    try {
      group = GroupSchema.of(name, Arrays.asList(columns.trim().split("\\s+")));
    } catch (InvalidRequestException e) {
      throw invalid(table, name, COLUMNS, String.valueOf(e.getMessage()), e);
    }
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      try {
        group = with(group, setting.getKey(), setting.getValue());
      } catch (InvalidRequestException e) {
        throw invalid(table, name, setting.getKey(), String.valueOf(e.getMessage()), e);
      }
    }
    return group;
  }

  private static GroupSchema with(GroupSchema group, String setting, String value) {
    return switch (setting) {
      case COLUMNS -> group;
      case PURGE -> group.withPurge(PurgePolicy.parse(value));
      case COMPRESSION -> group.withCompression(Compression.parse(value));
      case BLOCK_SIZE -> group.withBlockSize(blockSize(value));
      case IN_MEMORY -> group.withInMemory(inMemory(value));
      default ->
          throw new InvalidRequestException(
              "is unknown: must be "
                  + String.join(", ", COLUMNS, PURGE, COMPRESSION, BLOCK_SIZE, IN_MEMORY));
    };
  }

  private static int blockSize(String value) {
    try {
      return Integer.parseInt(value.trim());
    } catch (NumberFormatException e) {
      throw new InvalidRequestException("\"" + value + "\": must be a number of bytes", e);
    }
  }

  private static boolean inMemory(String value) {
    return switch (value.trim()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new InvalidRequestException("\"" + value + "\": must be true or false");
    };
  }

  private static InvalidRequestException invalid(
      String table, String group, String setting, String problem, @Nullable Throwable cause) {
    return new InvalidRequestException(
        "schema of table \""
            + table
            + "\", group \""
            + group
            + "\", setting "
            + setting
            + ": "
            + problem,
        cause);
  }
}
