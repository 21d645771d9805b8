package io.stele.engine.model;

import io.stele.base.schema.PurgePolicy;

/**
 * Which versions are unwanted: those behind the newest {@code history} of their column, those older
 * than {@code age} microseconds, or what {@code rule} makes of both.
 */
public record Purge(Rule rule, int history, long age) {
  /** Which of the two counts. */
  public enum Rule {
    NONE,
    HISTORY,
    AGE,
    BOTH,
    EITHER
  }

  public static final Purge NONE = new Purge(Rule.NONE, 1, 0);

  /** The engine's form of it, by way of the schema's text. */
  public PurgePolicy toPolicy() {
    String byHistory = "max-history=" + history;
    String byAge = "max-age=" + age;
    return PurgePolicy.parse(
        switch (rule) {
          case NONE -> "none";
          case HISTORY -> byHistory;
          case AGE -> byAge;
          case BOTH -> byHistory + " and " + byAge;
          case EITHER -> byAge + " or " + byHistory;
        });
  }

  public boolean countsHistory() {
    return rule == Rule.HISTORY || rule == Rule.BOTH || rule == Rule.EITHER;
  }

  boolean drops(long timestamp, int newerVersions, long now) {
    boolean byHistory = newerVersions >= history;
    boolean byAge = timestamp < now - age;
    return switch (rule) {
      case NONE -> false;
      case HISTORY -> byHistory;
      case AGE -> byAge;
      case BOTH -> byHistory && byAge;
      case EITHER -> byHistory || byAge;
    };
  }
}
