package io.stele.base.predicate;

/**
 * The text form of a {@link ReadPredicate}, for the command line, the console and logs.
 *
 * <pre>
 * predicate = [ part { "and" part } ]                nothing at all wants every cell
 * part      = interval { "or" interval }             all of one field
 *           | "history" "=" number                   versions of a column; negative: all but the newest
 * interval  = field operator literal                 row &gt;= 'a'
 *           | literal operator field                 'a' &lt;= row
 *           | literal operator field operator literal    'a' &lt;= row &lt; 'b'
 * field     = "row" | "column" | "time"
 * operator  = "&lt;" | "&lt;=" | "&gt;" | "&gt;=" | "=" | "~="        ~= is: begins with; not for times
 * literal   = text in ' or "                         of rows and columns
 *           | "@" number                             of times: microseconds since 1970
 *           | 1999-01-02T03:04:05Z                   of times, with a fraction if need be
 * </pre>
 *
 * <p>{@code or} joins intervals of one field and {@code and} joins fields, so there is nothing to
 * put in parentheses; each field stands in one part only. In a text {@code \xHH} is a byte, and
 * {@code \n \t \r \\ \' \"} are what they are elsewhere; other characters are their UTF-8.
 *
 * <p>A column is {@code 'family:qualifier'}, parted at its first colon (one that belongs to the
 * family is written {@code \x3a}), and is compared by family and then by qualifier. {@code column
 * ~= 'fam:'} is a whole family and {@code column ~= 'fa'} all families that begin so.
 *
 * <pre>{@code
 * 'user/1' <= row < 'user/2' or row = 'root' and column ~= 'name:' and history = 1
 * }</pre>
 */
public final class PredicateText {
  private PredicateText() {}

  /**
   * Reads the text form.
   *
   * @throws io.stele.base.error.InvalidRequestException if it is wrong, with a message that points
   *     at the character
   */
  public static ReadPredicate parse(String text) {
    return new PredicateParser(text).predicate();
  }

  /**
   * Writes the text form, from which {@link #parse} makes an equal predicate. Only a range that is
   * empty cannot be read again: as text that is a mistake.
   */
  public static String print(ReadPredicate predicate) {
    return PredicatePrinter.print(predicate);
  }
}
