package io.stele.replicas.partition;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.DirectoryFiles;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * The replicas on a server's disk: each a directory of its own, so that it can be dropped and
 * looked at without regard for the others.
 *
 * <pre>
 *   root/&lt;table&gt;/&lt;partition&gt;.&lt;assignment&gt;/   a store; whatever else its owner keeps there
 *   .../DROPPED                                 if it was being deleted
 *   made/&lt;assignment&gt;                          empty: the replica was made here. If its directory is gone, it was lost
 *   set-aside/&lt;table&gt;/&lt;directory&gt;.&lt;time&gt;/  what is left of a replica that was damaged, for people
 * </pre>
 *
 * Threads: any number may call, about different replicas.
 */
public final class ReplicaStores {
  private static final FilePath MADE = FilePath.of("made");
  private static final FilePath SET_ASIDE = FilePath.of("set-aside");
  private static final FilePath DROPPED = FilePath.of("DROPPED");

  private final FileStore files;
  private final FilePath root;
  private final StoreSettings settings;
  private final BlockCache cache;
  private final Clock clock;
  private final RandomGenerator random;
  private final BiConsumer<ReplicaName, StoreEvent> events;

  /**
   * Looks at a directory, which need not exist.
   *
   * @param settings of memory, log and compaction, for each replica; all else comes from schemas
   * @param cache shared by all replicas
   */
  public ReplicaStores(
      FileStore files,
      FilePath root,
      StoreSettings settings,
      BlockCache cache,
      Clock clock,
      RandomGenerator random,
      BiConsumer<ReplicaName, StoreEvent> events) {
    this.files = files;
    this.root = root;
    this.settings = settings;
    this.cache = cache;
    this.clock = clock;
    this.random = random;
    this.events = events;
  }

  /** The replicas that there are, whole ones alone: what was being deleted, is deleted now. */
  public List<ReplicaName> list() {
    List<ReplicaName> found = new ArrayList<>();
    try {
      for (FileInfo table : files.list(root)) {
        for (FileInfo directory : files.list(table.path())) {
          Optional<ReplicaName> name =
              ReplicaName.parse(table.path().name(), directory.path().name());
          if (name.isEmpty() || !directory.directory()) {
            continue;
          }
          if (isWhole(directory.path())) {
            found.add(name.get());
          } else {
            finishDelete(name.get());
          }
        }
      }
    } catch (IOException e) {
      throw new UnavailableException("replicas in " + describe() + " cannot be listed: " + e, e);
    }
    return found;
  }

  private boolean isWhole(FilePath directory) throws IOException {
    return !files.list(directory).isEmpty()
        && files.stat(directory.resolve(DROPPED.value())).isEmpty();
  }

  /** Whether a replica was made here once, and not deleted since. */
  public boolean wasMade(ReplicaName name) throws IOException {
    return files.stat(MADE.resolve(name.assignment())).isPresent();
  }

  public void noteMade(ReplicaName name) throws IOException {
    if (!wasMade(name)) {
      files.replace(MADE.resolve(name.assignment()), new byte[0]);
    }
  }

  /** Moves all files of a replica, which must have been closed, to where nobody uses them. */
  public void setAside(ReplicaName name) throws IOException {
    FilePath target =
        SET_ASIDE.resolve(name.table()).resolve(name.directory() + "." + clock.micros());
    move(path(name), target);
  }

  private void move(FilePath from, FilePath to) throws IOException {
    for (FileInfo file : files.list(from)) {
      FilePath target = to.resolve(file.path().name());
      if (file.directory()) {
        move(file.path(), target);
      } else {
        files.rename(file.path(), target);
      }
    }
    files.delete(from);
  }

  /** The names of the files that a replica's directory has. */
  public List<String> fileNames(ReplicaName name) throws IOException {
    return files.list(path(name)).stream().map(each -> each.path().name()).toList();
  }

  /** Opens a replica, and makes it where it does not exist. One at a time may be open. */
  public EnginePartition open(ReplicaName name, TableSchema schema) {
    return begin(name, schema, 0);
  }

  /**
   * As {@link #open}; one that is made here has its first change behind a sequence, up to which it
   * will take over those of another.
   */
  public EnginePartition begin(ReplicaName name, TableSchema schema, long sequence) {
    return EnginePartition.open(
        name.toString(),
        directory(name),
        schema,
        settings,
        cache,
        clock,
        random,
        event -> events.accept(name, event),
        sequence);
  }

  /** The files of a replica, for what its owner keeps beside the cells. */
  public FileStore directory(ReplicaName name) {
    return new DirectoryFiles(files, path(name));
  }

  private FilePath path(ReplicaName name) {
    return root.resolve(name.table()).resolve(name.directory());
  }

  /** Deletes a replica, which must have been closed. After a crash, {@link #list} goes on. */
  public void delete(ReplicaName name) {
    try {
      if (!files.list(path(name)).isEmpty()) {
        files.replace(path(name).resolve(DROPPED.value()), new byte[0]);
      }
      finishDelete(name);
    } catch (IOException e) {
      throw new UnavailableException("replica " + name + " cannot be deleted: " + e, e);
    }
  }

  private void finishDelete(ReplicaName name) throws IOException {
    FilePath directory = path(name);
    for (FileInfo file : files.list(directory)) {
      if (!file.path().name().equals(DROPPED.value())) {
        deleteTree(file);
      }
    }
    files.delete(directory.resolve(DROPPED.value())); // last: until then it is known to be none
    files.delete(directory);
    files.delete(MADE.resolve(name.assignment()));
    if (files.list(directory.parent()).isEmpty()) {
      files.delete(directory.parent());
    }
  }

  private void deleteTree(FileInfo file) throws IOException {
    if (file.directory()) {
      for (FileInfo inside : files.list(file.path())) {
        deleteTree(inside);
      }
    }
    files.delete(file.path());
  }

  private String describe() {
    return files.describe() + "/" + root;
  }
}
