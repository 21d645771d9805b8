package io.stele.tables.meta;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;

/**
 * A commit log that must be replayed before a tablet is read, unless it was unloaded cleanly.
 *
 * @param directory of the server that has, or had, the tablet
 * @param fromTxn records at or below this transaction do not concern the tablet: what they say of
 *     it is in its fragments
 * @param schemaRevision what it says after that is as of this revision of the table's schema: cells
 *     of families that were added later do not count ({@link FamilyOrigins})
 */
public record LogRef(FilePath directory, long fromTxn, long schemaRevision) {
  /** One of a table whose schema is as it was created. */
  public LogRef(FilePath directory, long fromTxn) {
    this(directory, fromTxn, FamilyOrigins.FIRST);
  }

  public LogRef {
    if (fromTxn < 0) {
      throw new InvalidRequestException(
          "log " + directory + " from transaction " + fromTxn + ": must not be negative");
    }
  }
}
