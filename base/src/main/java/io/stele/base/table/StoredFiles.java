package io.stele.base.table;

import java.time.Duration;
import java.util.List;

/**
 * The files of tablet tables that nothing needs any more. They are moved to a trash, which keeps
 * them for a while in case they were needed after all.
 */
public interface StoredFiles {
  /**
   * Moves files that nothing needs to the trash.
   *
   * @param apply false to be told only
   */
  Garbage collectFiles(boolean apply);

  /** What is in the trash, oldest first. */
  List<TrashedFile> trashedFiles();

  /**
   * Moves files from the trash back to where they were.
   *
   * @param path a file, or a directory for all that were in it, such as {@code fragments}
   * @return the files that were moved
   */
  List<String> restoreFiles(String path);

  /**
   * Deletes for good what has been in the trash for at least so long.
   *
   * @return what was deleted
   */
  Emptied emptyTrash(Duration age);

  /**
   * Files that nothing names.
   *
   * @param blocked why nothing may be deleted now; empty if it may
   */
  record Garbage(List<String> files, long bytes, String blocked) {}

  /**
   * A file in the trash.
   *
   * @param path where it was
   * @param sinceMicros when it was moved to the trash, microseconds since 1970 UTC
   */
  record TrashedFile(String path, long bytes, long sinceMicros) {}

  /** Files that are gone for good. */
  record Emptied(int files, long bytes) {}
}
