package io.stele.tables.master;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;

/** How a master works. */
public record MasterSettings(
    @About("How often it looks whether all tablets are served, if nothing tells it to look.")
        Duration round,
    @About("After how long an order that failed is given again; twice as long each time.")
        Duration firstRetry,
    @About("Up to how long.") Duration longestRetry,
    @About("How long an order to a server that lives, or a tablet that others change, is awaited.")
        Duration patience,
    @About("How long to wait for what a server has to say of itself.") Duration answer,
    @About("The most tablets that are on their way from one server to another at a time.")
        int moves,
    @About("Whether tablets are moved automatically, to balance servers and to join small ones.")
        boolean balance,
    @About("How often it is looked whether they should be.") Duration balanceEvery,
    @About("How often superfluous files are deleted.") Duration collectEvery) {
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
