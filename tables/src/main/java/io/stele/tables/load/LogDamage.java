package io.stele.tables.load;

import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;

/**
 * Transactions of a log that cannot be read: damaged records, or a file that is gone.
 *
 * @param afterTxn the last one before them that was read; 0 if there is none
 * @param toTxn the last of them; {@link Long#MAX_VALUE} if nothing whole follows
 * @param file in which they were, or the next one
 * @param position where the damage begins
 * @param problem what was found there
 */
public record LogDamage(long afterTxn, long toTxn, FilePath file, long position, String problem) {
  /** Can a tablet have lost something that the log is needed for? */
  boolean concerns(LogReplay.Wanted tablet) {
    return afterTxn < tablet.upToTxn() && toTxn > tablet.fromTxn();
  }

  /** For who cannot be served without them. */
  CorruptDataException exception() {
    return new CorruptDataException(
        file.toString(),
        position,
        "whole records; "
            + transactions()
            + " are lost, and the tablet may have been changed by them. \"stele meta salvage\""
            + " lists what is lost, and lets tablets be served without it",
        problem);
  }

  /** Which ones, for people. */
  public String transactions() {
    return toTxn == Long.MAX_VALUE
        ? "all transactions after " + afterTxn
        : "transactions " + (afterTxn + 1) + " to " + toTxn;
  }

  @Override
  public String toString() {
    return file + " at " + position + ": " + problem + "; " + transactions() + " are lost";
  }
}
