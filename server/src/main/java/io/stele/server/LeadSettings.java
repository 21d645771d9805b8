package io.stele.server;

import io.stele.base.settings.About;
import io.stele.tables.master.MasterSettings;
import java.time.Duration;

/** How the master of a cluster works. */
public record LeadSettings(
    @About("How often it looks whether all tablets are served, if nothing tells it to look.")
        Duration round,
    @About("How long a server may take to tell what it has.") Duration answer,
    @About("The most tablets that are on their way from one server to another at a time.")
        int moves,
    @About("Whether tablets are moved without being asked to, so that servers have alike.")
        boolean balance,
    @About("How often it looks whether tablets should be moved.") Duration balanceEvery,
    @About("How often files are deleted that nothing needs.") Duration collectEvery) {

  private static final MasterSettings KNOWN = MasterSettings.DEFAULT;

  public static final LeadSettings DEFAULTS =
      new LeadSettings(
          KNOWN.round(),
          KNOWN.answer(),
          KNOWN.moves(),
          KNOWN.balance(),
          KNOWN.balanceEvery(),
          KNOWN.collectEvery());

  public LeadSettings {
    settings(round, answer, moves, balance, balanceEvery, collectEvery); // refuses what cannot be
  }

  MasterSettings settings() {
    return settings(round, answer, moves, balance, balanceEvery, collectEvery);
  }

  private static MasterSettings settings(
      Duration round,
      Duration answer,
      int moves,
      boolean balance,
      Duration balanceEvery,
      Duration collectEvery) {
    return KNOWN
        .withRounds(round, KNOWN.firstRetry(), KNOWN.longestRetry())
        .withPatience(KNOWN.patience(), answer)
        .withMoves(moves)
        .withBalance(balance, balanceEvery)
        .withCollectEvery(collectEvery);
  }
}
