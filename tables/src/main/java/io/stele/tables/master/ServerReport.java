package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.tables.meta.TabletKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a server has and needs.
 *
 * @param oldestPending of its own files, numbered as they are made, the first that it may yet name
 *     in META: this one and all later ones must stay. None if it has none under way
 * @param inUse files that it may still read though META names them no more: those of open scans, of
 *     compactions under way, of tablets on their way here or away
 * @param memoryBytes of changes that are in its log alone
 */
public record ServerReport(
    LiveServer server,
    List<TabletReport> tablets,
    Optional<FilePath> oldestPending,
    FilePath nextFile,
    Set<FilePath> inUse,
    long memoryBytes) {
  public ServerReport {
    tablets = List.copyOf(tablets);
    inUse = Set.copyOf(inUse);
  }

  /**
   * A tablet that a server has, in whatever state.
   *
   * @param reads since it was loaded
   * @param writes since it was loaded
   */
  public record TabletReport(
      TabletKey tablet, Bytes first, int state, long fileBytes, long reads, long writes) {}
}
