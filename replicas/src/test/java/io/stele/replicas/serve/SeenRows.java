package io.stele.replicas.serve;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What readers at a majority must see of rows that are written at a majority. A row is a set of
 * elements, each of which is added once and erased once, and a counter. Everything has one writer.
 *
 * <pre>
 *   added, acknowledged before the read began, and not being erased before it ended   is there
 *   erased, acknowledged before the read began                                        is not there
 *   added, acknowledged by one replica, and not being erased                          is there in the end
 *   what nobody began to add                                                          is not there
 *   the counter                                   none that was acknowledged before another that was
 *                                                 acknowledged before the read began
 * </pre>
 *
 * A value of the counter whose writer got no answer may show at any time: the server that took it
 * may have been cut off with a clock that is ahead.
 *
 * <p>Any thread.
 */
final class SeenRows {
  private static final long NEVER = Long.MAX_VALUE;

  private static final class Element {
    private long added = NEVER;
    private boolean keptByOne;
    private long eraseBegun = NEVER;
    private long erased = NEVER;
  }

  private static final class Row {
    private final Map<String, Element> elements = new TreeMap<>();
    private final Map<Long, Long> counted = new TreeMap<>(); // when acknowledged, by value
    private long counter; // begun
  }

  // Guarded by this.
  private final Map<String, Row> rows = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private long now;
  private long reads;
  private long writes;

  synchronized long now() {
    return ++now;
  }

  private Row row(String name) {
    return rows.computeIfAbsent(name, _ -> new Row());
  }

  // ---- writers

  synchronized void beginAdd(String row, String element) {
    row(row).elements.put(element, new Element());
  }

  synchronized void added(String row, String element) {
    row(row).elements.get(element).added = ++now;
    writes++;
  }

  /** One replica has it, whose disk is not lost. */
  synchronized void keptByOne(String row, String element) {
    row(row).elements.get(element).keptByOne = true;
    writes++;
  }

  synchronized void beginErase(String row, String element) {
    row(row).elements.get(element).eraseBegun = ++now;
  }

  synchronized void erased(String row, String element) {
    row(row).elements.get(element).erased = ++now;
    writes++;
  }

  /** The next value of a row's counter. */
  synchronized long beginCount(String row) {
    return ++row(row).counter;
  }

  synchronized void counted(String row, long value) {
    row(row).counted.put(value, ++now);
    writes++;
  }

  // ---- readers

  /** A read when all replicas are equal. */
  synchronized void readInTheEnd(String row, Set<String> found) {
    row(row)
        .elements
        .forEach(
            (element, each) -> {
              if (each.keptByOne && each.eraseBegun == NEVER && !found.contains(element)) {
                violate("in the end", row, element + ", which a replica had, is lost", found);
              }
            });
  }

  /** A read that was answered. */
  synchronized void read(String where, String name, long begun, Set<String> found, long counter) {
    reads++;
    Row row = row(name);
    long ended = ++now;
    row.elements.forEach(
        (element, each) -> {
          if (each.added < begun && each.eraseBegun > ended && !found.contains(element)) {
            violate(where, name, element + ", which was acknowledged, is not there", found);
          }
          if (each.erased < begun && found.contains(element)) {
            violate(where, name, element + ", which was erased, is there", found);
          }
        });
    found.stream()
        .filter(each -> !row.elements.containsKey(each))
        .forEach(each -> violate(where, name, each + " was written by nobody", found));
    long least =
        row.counted.entrySet().stream()
            .filter(each -> each.getValue() < begun)
            .mapToLong(Map.Entry::getKey)
            .max()
            .orElse(0);
    boolean stale = counter < least && (counter == 0 || row.counted.containsKey(counter));
    if (stale || counter > row.counter) {
      violate(
          where,
          name,
          "its counter is " + counter + ", not from " + least + " to " + row.counter,
          found);
    }
  }

  private void violate(String where, String row, String what, Set<String> found) {
    violations.add("row " + row + " read " + where + ": " + what + "; found " + found);
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  synchronized long reads() {
    return reads;
  }

  synchronized long writes() {
    return writes;
  }
}
