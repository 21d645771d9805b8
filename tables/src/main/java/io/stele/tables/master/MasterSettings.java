package io.stele.tables.master;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;

/**
 * How a master works.
 *
 * @param round how often it looks whether all tablets are served, if nothing tells it to look
 * @param firstRetry an order about a tablet that failed is given again after this long; twice as
 *     long each time
 * @param longestRetry up to this long
 * @param patience an order that a live server has not carried out for so long is no longer waited
 *     for; nor does a request wait longer for others to be done with a tablet
 * @param answer the longest to wait for what a server has to say of itself
 * @param moves the most tablets that are on their way from one server to another at a time
 * @param balance whether tablets are moved without being asked for it
 * @param balanceEvery how often it is looked whether they should be
 * @param collectEvery how often superfluous files are deleted
 */
public record MasterSettings(
    Duration round,
    Duration firstRetry,
    Duration longestRetry,
    Duration patience,
    Duration answer,
    int moves,
    boolean balance,
    Duration balanceEvery,
    Duration collectEvery) {
  public static final MasterSettings DEFAULT =
      new MasterSettings(
          Duration.ofSeconds(5),
          Duration.ofMillis(200),
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          Duration.ofSeconds(3),
          8,
          true,
          Duration.ofSeconds(10),
          Duration.ofMinutes(5));

  public MasterSettings {
    if (moves < 1) {
      throw new InvalidRequestException("master: " + moves + " moves at a time: must be positive");
    }
    positive("round", round);
    positive("first retry", firstRetry);
    positive("patience", patience);
    positive("answer", answer);
    positive("balance", balanceEvery);
    positive("collection of files", collectEvery);
    if (longestRetry.compareTo(firstRetry) < 0) {
      throw new InvalidRequestException(
          "master: longest retry after "
              + longestRetry
              + ": must not be below the first, "
              + firstRetry);
    }
  }

  private static void positive(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new InvalidRequestException("master: " + what + " " + value + ": must be positive");
    }
  }

  public MasterSettings withBalance(boolean on, Duration every) {
    return new MasterSettings(
        round, firstRetry, longestRetry, patience, answer, moves, on, every, collectEvery);
  }

  public MasterSettings withMoves(int most) {
    return new MasterSettings(
        round,
        firstRetry,
        longestRetry,
        patience,
        answer,
        most,
        balance,
        balanceEvery,
        collectEvery);
  }

  public MasterSettings withCollectEvery(Duration every) {
    return new MasterSettings(
        round, firstRetry, longestRetry, patience, answer, moves, balance, balanceEvery, every);
  }

  public MasterSettings withPatience(Duration order, Duration word) {
    return new MasterSettings(
        round, firstRetry, longestRetry, order, word, moves, balance, balanceEvery, collectEvery);
  }

  public MasterSettings withRounds(Duration every, Duration first, Duration longest) {
    return new MasterSettings(
        every, first, longest, patience, answer, moves, balance, balanceEvery, collectEvery);
  }
}
