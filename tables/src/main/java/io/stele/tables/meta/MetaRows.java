package io.stele.tables.meta;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.key.OrderedKeyReader;
import io.stele.base.key.OrderedKeyWriter;
import io.stele.base.predicate.RowRange;
import java.util.Optional;

/**
 * The row keys of META tables.
 *
 * <pre>
 *   row      := table kind
 *   table    := UTF-8 of the name, each 00 as 00 FF; then 00 01       (OrderedKeyWriter)
 *   kind     := 01                    the table's schema
 *             | 02 lastRow            a tablet that ends with this row; the bytes as they are
 *             | 03                    the tablet that has no end
 * </pre>
 *
 * <p>The byte order of these keys is: tables by the code points of their names; of one table the
 * schema, then the tablets in the order of their rows, the one without end last. It holds for every
 * name and every row key, because a name's end sorts before anything that could go on with it, and
 * nothing stands behind the last row, so it needs no end of its own.
 *
 * <p>Text of the form {@code table lastRow}, {@code table!} and {@code table} does not do this. The
 * rows of a table {@code a b} come among those of {@code a}, and so do those of every name that
 * goes on with a byte below the space; and different things get the same row: {@code a b} is the
 * schema of table {@code "a b"} as well as the tablet of {@code a} that ends with {@code b}, {@code
 * a!} the schema of table {@code a!} and the last tablet of {@code a}, and {@code "a !"} the tablet
 * of {@code a} that ends with {@code !} and the last one of table {@code "a "}.
 */
public final class MetaRows {
  private static final int SCHEMA = 1;
  private static final int TABLET = 2;
  private static final int LAST_TABLET = 3;

  /** The most bytes that stand before the last row. */
  private static final int LONGEST_PREFIX = 2 * TableNames.LONGEST + 3;

  /** What a row of a META table is about. */
  public sealed interface MetaRow {
    String table();

    /** The table's schema. */
    record Schema(String table) implements MetaRow {}

    /**
     * A tablet.
     *
     * @param last its last row; none if it has no end
     */
    record Tablet(String table, Optional<Bytes> last) implements MetaRow {}
  }

  private MetaRows() {}

  public static Bytes schema(String table) {
    return prefix(table, SCHEMA).toBytes();
  }

  /**
   * The row of a tablet.
   *
   * @param last its last row; none if it has no end
   * @throws InvalidRequestException if a tablet cannot end with this row
   */
  public static Bytes tablet(String table, Optional<Bytes> last) {
    if (last.isEmpty()) {
      return prefix(table, LAST_TABLET).toBytes();
    }
    if (!canBeLast(table, last.get())) {
      throw new InvalidRequestException(
          "a tablet of table \""
              + table
              + "\" that ends with a row of "
              + last.get().length()
              + " bytes: must be 1 to "
              + longestLast(table));
    }
    return prefix(table, TABLET).put(last.get()).toBytes();
  }

  /** Can a tablet end with this row? To be asked of every row at which one is to be split. */
  public static boolean canBeLast(String table, Bytes row) {
    return !row.isEmpty() && row.length() <= longestLast(table);
  }

  /**
   * So long that the tablet's META row is a valid row key and, if it is in META1, a META1 tablet
   * can end with it in turn.
   */
  public static int longestLast(String table) {
    return Cell.MAX_ROW - LONGEST_PREFIX * (MetaLevel.of(table) == MetaLevel.META1 ? 2 : 1);
  }

  /** All rows of a table: its schema and its tablets. */
  public static RowRange ofTable(String table) {
    return RowRange.prefix(new OrderedKeyWriter().putString(table).toBytes());
  }

  /** The rows of a table's tablets. */
  public static RowRange tablets(String table) {
    return new RowRange(prefix(table, TABLET).toBytes(), ofTable(table).to());
  }

  /** The rows of the tablet that holds a row, and of all behind it: the first there is holds it. */
  public static RowRange tabletsFrom(String table, Bytes row) {
    return new RowRange(prefix(table, TABLET).put(row).toBytes(), ofTable(table).to());
  }

  /**
   * Tells what a row is about.
   *
   * @throws CorruptDataException if it is no row of a META table
   */
  public static MetaRow parse(Bytes row) {
    OrderedKeyReader reader = new OrderedKeyReader(row);
    try {
      String table = reader.readString();
      int kind = reader.readByte();
      Bytes rest =
          Bytes.copyOf(row.sharedArray(), row.length() - reader.remaining(), reader.remaining());
      if (kind == TABLET && !rest.isEmpty()) {
        return new MetaRow.Tablet(table, Optional.of(rest));
      }
      if (rest.isEmpty() && kind == SCHEMA) {
        return new MetaRow.Schema(table);
      }
      if (rest.isEmpty() && kind == LAST_TABLET) {
        return new MetaRow.Tablet(table, Optional.empty());
      }
    } catch (Malformed e) {
      throw notARow(row, e.offset());
    }
    throw notARow(row, row.length());
  }

  private static CorruptDataException notARow(Bytes row, int at) {
    return new CorruptDataException(
        "META", at, "a row key of a table name and a schema or tablet", row.toString());
  }

  /** A row as people read it; never fails. */
  public static String describe(Bytes row) {
    try {
      return describe(parse(row));
    } catch (CorruptDataException e) {
      return row.toString();
    }
  }

  public static String describe(MetaRow row) {
    return switch (row) {
      case MetaRow.Schema(String table) -> "schema of table \"" + table + "\"";
      case MetaRow.Tablet(String table, Optional<Bytes> last) ->
          "tablet of table \""
              + table
              + "\" "
              + last.map(end -> "up to row \"" + end + "\"").orElse("without end");
    };
  }

  private static ByteBuilder prefix(String table, int kind) {
    ByteBuilder key = new ByteBuilder(64);
    new OrderedKeyWriter(key).putString(table).putByte(kind);
    return key;
  }
}
