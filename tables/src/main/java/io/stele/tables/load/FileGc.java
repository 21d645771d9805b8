package io.stele.tables.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.table.StoredFiles;
import io.stele.tables.event.TableEvent;
import io.stele.tables.files.CollectionCheck;
import io.stele.tables.files.Trash;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.FragmentFiles;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Moves files that nothing needs to the trash, where one server has all of them to itself:
 * fragments that no configuration names, and logs of earlier runs that no configuration names.
 *
 * <p>The order counts. First the files are listed, so that those made later are left alone; then it
 * is noted which are soon to be referenced; and only then what is referenced is read. A file that
 * leaves the second set has come into the third before. Likewise a file that a new table is to
 * share was pinned before the tablet that had it let it go, and is let go once META names it.
 *
 * <p>All of that rests on META. {@link CollectionCheck} says when META cannot be believed.
 */
public final class FileGc implements StoredFiles {
  private final ServerParts server;
  private final FilePath logs;
  private final FilePath ownLog;
  private final Supplier<Collection<Table>> tables;
  private final Supplier<List<TabletConfig>> configs;
  private final Supplier<Optional<String>> foreign;
  private final Trash trash;

  @GuardedBy("this")
  private String told = ""; // why nothing went the last time

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
      Supplier<Optional<String>> foreign,
      Trash trash) {
    this.server = server;
    this.logs = logs;
    this.ownLog = ownLog;
    this.tables = tables;
    this.configs = configs;
    this.foreign = foreign;
    this.trash = trash;
  }

  @Override
  public synchronized Garbage collectFiles(boolean apply) {
    return collect(apply, apply);
  }

  /** Moves what nothing needs to the trash, and deletes what has been there long enough. */
  public synchronized void run() {
    Garbage garbage = collect(true, false);
    if (!garbage.blocked().equals(told)) {
      told = garbage.blocked();
      if (!told.isEmpty()) {
        server.report(new TableEvent.CollectionBlocked(told));
      }
    }
  }

  private Garbage collect(boolean apply, boolean asked) {
    try {
      Optional<String> mismatch = foreign.get();
      if (mismatch.isPresent()) {
        return new Garbage(List.of(), 0, mismatch.get());
      }
      List<FileInfo> all = new ArrayList<>(list(FragmentFiles.ROOT));
      all.addAll(list(logs));
      Set<FilePath> needed = inUse();
      List<TabletConfig> tablets = configs.get();
      List<FileInfo> superfluous = superfluous(all, needed, tablets);
      Optional<String> stop = stop(all, tablets, superfluous, asked);
      if (stop.isPresent()) {
        return new Garbage(List.of(), 0, stop.get());
      }
      long bytes = superfluous.stream().mapToLong(FileInfo::length).sum();
      List<FilePath> paths = superfluous.stream().map(FileInfo::path).toList();
      if (apply) {
        move(paths, bytes);
      }
      return new Garbage(paths.stream().map(FilePath::value).toList(), bytes, "");
    } catch (IOException e) {
      throw new UnavailableException("files cannot be looked at or moved to the trash: " + e, e);
    }
  }

  /** Files that must stay whatever META says. */
  private Set<FilePath> inUse() {
    Set<FilePath> needed = new HashSet<>(server.names().pending());
    for (Table table : tables.get()) {
      needed.addAll(table.graph().openFiles());
      for (TabletView tablet : table.view().tablets()) {
        needed.addAll(tablet.paths());
      }
    }
    needed.addAll(server.names().pinned()); // pinned while a tablet had them: so looked at later
    return needed;
  }

  private List<FileInfo> superfluous(
      List<FileInfo> all, Set<FilePath> inUse, List<TabletConfig> tablets) {
    Set<FilePath> needed = new HashSet<>(inUse);
    Set<FilePath> neededLogs = new HashSet<>();
    neededLogs.add(ownLog);
    for (TabletConfig config : tablets) {
      needed.addAll(config.paths());
      config.logs().forEach(log -> neededLogs.add(log.directory()));
    }
    return all.stream()
        .filter(file -> !needed.contains(file.path()) && !neededLogs.contains(file.path().parent()))
        .toList();
  }

  private Optional<String> stop(
      List<FileInfo> all, List<TabletConfig> tablets, List<FileInfo> superfluous, boolean asked) {
    int orphans =
        (int)
            superfluous.stream()
                .filter(file -> !file.path().parent().name().equals(ownLog.name()))
                .count();
    return CollectionCheck.brokenMeta(tablets)
        .or(() -> CollectionCheck.unknownName(all.stream().map(FileInfo::path).toList()))
        .or(() -> asked ? Optional.empty() : CollectionCheck.tooMany(all.size(), orphans));
  }

  private void move(List<FilePath> superfluous, long bytes) throws IOException {
    if (!superfluous.isEmpty()) {
      // META was read as it is, durable or not: a crash must not bring back the names of these.
      server.sequencer().awaitDurable(server.sequencer().assigned());
      trash.add(server.files(), superfluous);
      server.report(new TableEvent.FilesTrashed(superfluous.size(), bytes));
    }
    Trash.Tidied gone = trash.tidy();
    if (gone.old().files() > 0) {
      server.report(new TableEvent.TrashEmptied(gone.old().files(), gone.old().bytes()));
    }
    if (gone.early().files() > 0) {
      server.report(new TableEvent.TrashGaveWay(gone.early().files(), gone.early().bytes()));
    }
  }

  @Override
  public List<TrashedFile> trashedFiles() {
    return trash.list();
  }

  @Override
  public List<String> restoreFiles(String path) {
    return trash.restore(path);
  }

  @Override
  public Emptied emptyTrash(Duration age) {
    return trash.empty(age);
  }

  /**
   * The files two levels below a directory: those of each run of a server are in one of their own.
   */
  private List<FileInfo> list(FilePath root) throws IOException {
    List<FileInfo> found = new ArrayList<>();
    for (FileInfo run : server.files().list(root)) {
      found.addAll(server.files().list(run.path()));
    }
    return found;
  }
}
