package io.stele.base.schema;

import io.stele.base.error.InvalidRequestException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Which versions of a column are no longer wanted: in reads at once, in files when they are
 * rewritten.
 *
 * <p>The text form is the one of the schema: {@code max-history=3}, {@code max-age=3600000000}
 * (microseconds), or the two joined by {@code and} (purged if both say so) or {@code or} (purged if
 * either does); {@code none} keeps everything.
 *
 * <p>A purged version does not come back. If one of the newer versions that made it superfluous is
 * erased later, by its timestamp, the older one is seen again only if no flush or compaction had
 * rewritten it in between: under {@code max-history}, erase whole columns, families or rows.
 */
public sealed interface PurgePolicy {
  PurgePolicy NONE = new KeepAll();

  /**
   * Is the version to be purged?
   *
   * @param timestamp of the version
   * @param newer how many versions of its column are newer
   * @param now the time, in microseconds
   */
  boolean purges(long timestamp, int newer, long now);

  /** True if the answer depends on how many versions are newer. */
  boolean countsHistory();

  record KeepAll() implements PurgePolicy {
    @Override
    public boolean purges(long timestamp, int newer, long now) {
      return false;
    }

    @Override
    public boolean countsHistory() {
      return false;
    }

    @Override
    public String toString() {
      return "none";
    }
  }

  /** Keeps the newest {@code versions} of each column. */
  record MaxHistory(int versions) implements PurgePolicy {
    public MaxHistory {
      if (versions < 1) {
        throw new InvalidRequestException("max-history=" + versions + ": must be at least 1");
      }
    }

    @Override
    public boolean purges(long timestamp, int newer, long now) {
      return newer >= versions;
    }

    @Override
    public boolean countsHistory() {
      return true;
    }

    @Override
    public String toString() {
      return "max-history=" + versions;
    }
  }

  /** Keeps versions whose timestamp is at most {@code micros} old. */
  record MaxAge(long micros) implements PurgePolicy {
    public MaxAge {
      if (micros < 0) {
        throw new InvalidRequestException("max-age=" + micros + ": must not be negative");
      }
    }

    @Override
    public boolean purges(long timestamp, int newer, long now) {
      return timestamp < now - micros;
    }

    @Override
    public boolean countsHistory() {
      return false;
    }

    @Override
    public String toString() {
      return "max-age=" + micros;
    }
  }

  record Both(PurgePolicy first, PurgePolicy second) implements PurgePolicy {
    @Override
    public boolean purges(long timestamp, int newer, long now) {
      return first.purges(timestamp, newer, now) && second.purges(timestamp, newer, now);
    }

    @Override
    public boolean countsHistory() {
      return first.countsHistory() || second.countsHistory();
    }

    @Override
    public String toString() {
      return first + " and " + second;
    }
  }

  record Either(PurgePolicy first, PurgePolicy second) implements PurgePolicy {
    @Override
    public boolean purges(long timestamp, int newer, long now) {
      return first.purges(timestamp, newer, now) || second.purges(timestamp, newer, now);
    }

    @Override
    public boolean countsHistory() {
      return first.countsHistory() || second.countsHistory();
    }

    @Override
    public String toString() {
      return first + " or " + second;
    }
  }

  /** Reads the text form; {@code and} binds closer than {@code or}. */
  static PurgePolicy parse(String text) {
    return Arrays.stream(text.trim().split("\\s+or\\s+", -1))
        .map(alternative -> parseAll(alternative, text))
        .reduce(Either::new)
        .orElse(NONE);
  }

  private static PurgePolicy parseAll(String terms, String whole) {
    return Arrays.stream(terms.trim().split("\\s+and\\s+", -1))
        .map(term -> parseTerm(term.trim(), whole))
        .reduce(Both::new)
        .orElse(NONE);
  }

  private static PurgePolicy parseTerm(String term, String whole) {
    String[] parts = term.toLowerCase(Locale.ROOT).split("=", 2);
    try {
      switch (parts[0].trim()) {
        case "max-history" -> {
          return new MaxHistory(Integer.parseInt(parts[1].trim()));
        }
        case "max-age" -> {
          return new MaxAge(Long.parseLong(parts[1].trim()));
        }
        case "none" -> {
          if (parts.length == 1 && whole.trim().equalsIgnoreCase("none")) {
            return NONE;
          }
        }
        default -> {}
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // Told below, as for any other term that is not understood.
    }
    throw new InvalidRequestException(
        "purge policy \""
            + whole
            + "\": \""
            + term
            + "\" is not max-history=COUNT, max-age=AGE or none");
  }
}
