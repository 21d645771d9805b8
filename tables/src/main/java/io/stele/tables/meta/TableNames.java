package io.stele.tables.meta;

import io.stele.base.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;

/** Which names tables may have, and the two that are taken. */
public final class TableNames {
  /** The root: one tablet, which never splits, with the tablets of {@link #META1}. */
  public static final String META0 = "META0";

  /** The tablets and schemas of all other tables. */
  public static final String META1 = "META1";

  /** Bytes of UTF-8. */
  public static final int LONGEST = 255;

  private TableNames() {}

  public static boolean isReserved(String table) {
    return table.equals(META0) || table.equals(META1);
  }

  /**
   * Checks the name of a table that is to be created. Older versions took white space, so {@link
   * #check} still does.
   *
   * @throws InvalidRequestException if it is reserved, empty, too long, not clean text, or not one
   *     word of a command line
   */
  public static void checkNew(String table) {
    check(table);
    for (int at = 0; at < table.length(); at += Character.charCount(table.codePointAt(at))) {
      int c = table.codePointAt(at);
      if (Character.isWhitespace(c) || Character.isSpaceChar(c)) {
        throw new InvalidRequestException(
            "table name \"%s\" at character %d: must have no white space".formatted(table, at + 1));
      }
    }
    if (isReserved(table)) {
      throw new InvalidRequestException(
          "table name \""
              + table
              + "\" is reserved: META0 and META1 hold all other tables' tablets");
    }
  }

  /** Checks that a name is one that a table may have, META0 and META1 included. */
  public static void check(String table) {
    int bytes = table.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > LONGEST) {
      throw new InvalidRequestException(
          "table name of " + bytes + " bytes: must be 1 to " + LONGEST);
    }
    for (int at = 0; at < table.length(); at += Character.charCount(table.codePointAt(at))) {
      int c = table.codePointAt(at);
      if (Character.isISOControl(c)
          || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
        throw new InvalidRequestException(
            "table name \""
                + table
                + "\" at character "
                + (at + 1)
                + ": must have no control character and no half of a surrogate pair");
      }
    }
  }
}
