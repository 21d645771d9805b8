package io.stele.tables.load;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.FragmentFiles;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Deletes files that nothing needs, where one server has all of them to itself: fragments that no
 * configuration names, and logs of earlier runs that no configuration names.
 *
 * <p>The order counts. First the files are listed, so that those made later are left alone; then it
 * is noted which are soon to be referenced; and only then what is referenced is read. A file that
 * leaves the second set has come into the third before. Likewise a file that a new table is to
 * share was pinned before the tablet that had it let it go, and is let go once META names it.
 */
public final class FileGc {
  private final ServerParts server;
  private final FilePath logs;
  private final FilePath ownLog;
  private final Supplier<Collection<Table>> tables;
  private final Supplier<List<TabletConfig>> configs;
  private final Supplier<Optional<String>> foreign;

  /**
   * Makes one.
   *
   * @param configs reads the configurations of all tablets there are, loaded or not
   * @param foreign says why META does not speak of these files, if they are another cluster's
   */
  public FileGc(
      ServerParts server,
      FilePath logs,
      FilePath ownLog,
      Supplier<Collection<Table>> tables,
      Supplier<List<TabletConfig>> configs,
      Supplier<Optional<String>> foreign) {
    this.foreign = foreign;
    this.server = server;
    this.logs = logs;
    this.ownLog = ownLog;
    this.tables = tables;
    this.configs = configs;
  }

  /** The files that one round would delete. */
  public List<FilePath> candidates() throws IOException {
    List<FilePath> fragments = list(FragmentFiles.ROOT);
    List<FilePath> logFiles = list(logs);
    Set<FilePath> needed = new HashSet<>(server.names().pending());
    for (Table table : tables.get()) {
      needed.addAll(table.graph().openFiles());
      for (TabletView tablet : table.view().tablets()) {
        needed.addAll(tablet.paths());
      }
    }
    needed.addAll(server.names().pinned()); // pinned while a tablet had them: so looked at later
    Set<FilePath> neededLogs = new HashSet<>();
    neededLogs.add(ownLog);
    for (TabletConfig config : configs.get()) {
      config.fragments().values().forEach(refs -> refs.forEach(ref -> needed.add(ref.path())));
      config.logs().forEach(log -> neededLogs.add(log.directory()));
    }
    List<FilePath> superfluous = new ArrayList<>();
    for (FilePath path : fragments) {
      if (!needed.contains(path)) {
        superfluous.add(path);
      }
    }
    for (FilePath path : logFiles) {
      if (!neededLogs.contains(path.parent())) {
        superfluous.add(path);
      }
    }
    return superfluous;
  }

  /** Deletes them; answers how many. */
  public int run() throws IOException {
    Optional<String> mismatch = foreign.get();
    if (mismatch.isPresent()) {
      server.report(new TableEvent.CollectionBlocked(mismatch.get()));
      return 0;
    }
    int fragments = 0;
    int logFiles = 0;
    List<FilePath> superfluous = candidates();
    if (!superfluous.isEmpty()) {
      // META was read as it is, durable or not: a crash must not bring back the names of these.
      server.sequencer().awaitDurable(server.sequencer().assigned());
    }
    for (FilePath path : superfluous) {
      server.files().delete(path);
      if (path.parent().parent().equals(logs)) {
        logFiles++;
      } else {
        fragments++;
      }
    }
    if (fragments + logFiles > 0) {
      server.report(new TableEvent.FilesDeleted(fragments, logFiles));
    }
    return fragments + logFiles;
  }

  /**
   * The files two levels below a directory: those of each run of a server are in one of their own.
   */
  private List<FilePath> list(FilePath root) throws IOException {
    List<FilePath> found = new ArrayList<>();
    for (FileInfo run : server.files().list(root)) {
      for (FileInfo file : server.files().list(run.path())) {
        found.add(file.path());
      }
    }
    return found;
  }
}
