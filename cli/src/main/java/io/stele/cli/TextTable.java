package io.stele.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rows under a header, in columns as wide as their widest value. A column in which every value
 * starts as a number, or is left open, is aligned to the right; addresses, which have a colon, are
 * no numbers.
 */
public final class TextTable {

  private static final Pattern NUMBER = Pattern.compile("[-+]?\\d[^:]*|-?");
  private static final Set<String> NOTHING = Set.of("", "-"); // among numbers, and among texts
  private static final String GAP = "  ";

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... header) {
    this.header = List.of(header);
  }

  /** Adds a row of as many values as there are columns. */
  public TextTable row(String... values) {
    if (values.length != header.size()) {
      throw new IllegalArgumentException(
          "a row of %d values for the %d columns %s: %s"
              .formatted(values.length, header.size(), header, List.of(values)));
    }
    rows.add(List.of(values));
    return this;
  }

  /** The lines of the table, the header first, each ended by a newline. */
  @Override
  public String toString() {
    int[] widths = new int[header.size()];
    boolean[] numeric = new boolean[header.size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = width(column);
      numeric[column] = isNumeric(column);
    }
    StringBuilder text = new StringBuilder();
    appendLine(text, header, widths, numeric);
    rows.forEach(row -> appendLine(text, row, widths, numeric));
    return text.toString();
  }

  private static void appendLine(
      StringBuilder text, List<String> values, int[] widths, boolean[] numeric) {
    int start = text.length();
    for (int column = 0; column < values.size(); column++) {
      String value = values.get(column);
      String padding = DisplayWidth.padding(value, widths[column]);
      text.append(column == 0 ? "" : GAP);
      text.append(numeric[column] ? padding + value : value + padding);
    }
    int end = text.length();
    while (end > start && text.charAt(end - 1) == ' ') {
      end--;
    }
    text.setLength(end);
    text.append('\n');
  }

  private int width(int column) {
    return rows.stream()
        .mapToInt(row -> DisplayWidth.of(row.get(column)))
        .reduce(DisplayWidth.of(header.get(column)), Math::max);
  }

  private boolean isNumeric(int column) {
    return rows.stream().allMatch(row -> NUMBER.matcher(row.get(column)).matches())
        && rows.stream().anyMatch(row -> !NOTHING.contains(row.get(column)));
  }
}
