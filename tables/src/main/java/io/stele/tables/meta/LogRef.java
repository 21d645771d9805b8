package io.stele.tables.meta;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;

/**
 * A commit log that must be replayed before a tablet is read, unless it was unloaded cleanly.
 *
 * @param directory of the server that has, or had, the tablet
 * @param fromTxn records at or below this transaction do not concern the tablet: what they say of
 *     it is in its fragments
 */
public record LogRef(FilePath directory, long fromTxn) {
  public LogRef {
    if (fromTxn < 0) {
      throw new InvalidRequestException(
          "log " + directory + " from transaction " + fromTxn + ": must not be negative");
    }
  }
}
