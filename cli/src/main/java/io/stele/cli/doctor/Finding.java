package io.stele.cli.doctor;

import java.util.Locale;

/**
 * Something that was looked at.
 *
 * @param area what it is about
 * @param found what was seen, with names and numbers
 * @param advice what to do; empty if nothing
 */
record Finding(Level level, String area, String found, String advice) {
  /** How bad it is. */
  enum Level {
    /** As it should be. */
    OK,
    /** Works, and wants to be looked at. */
    WARNING,
    /** Does not work, or will not for long. */
    PROBLEM;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String area, String found) {
    return new Finding(Level.OK, area, found, "");
  }

  static Finding warning(String area, String found, String advice) {
    return new Finding(Level.WARNING, area, found, advice);
  }

  static Finding problem(String area, String found, String advice) {
    return new Finding(Level.PROBLEM, area, found, advice);
  }
}
