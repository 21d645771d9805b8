package io.stele.replicas.partition;

import io.stele.base.error.CorruptDataException;
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
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.commitlog.StoreLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The replicas on a server's disk: each a directory of its own, so that it can be dropped and
 * looked at without regard for the others.
 *
 * <pre>
 *   log/                                        of the changes of all of them: see ServerLog
 *   root/&lt;table&gt;/&lt;partition&gt;.&lt;assignment&gt;/   a store; whatever else its owner keeps there
 *   .../DROPPED                                 if it was being deleted
 *   made/&lt;assignment&gt;                          empty: the replica was made here. If its directory is gone, it was lost
 *   set-aside/&lt;table&gt;/&lt;directory&gt;.&lt;time&gt;/  what is left of a replica that was damaged or is outdated, for people
 * </pre>
 *
 * Threads: any number may call, about different replicas.
 */
public final class ReplicaStores implements AutoCloseable {
  private static final FilePath LOG = FilePath.of("log");
  private static final FilePath MADE = FilePath.of("made");
  private static final FilePath SET_ASIDE = FilePath.of("set-aside");
  private static final FilePath DROPPED = FilePath.of("DROPPED");

  private final FileStore files;
  private final FilePath root;
  private final StoreSettings settings;
  private final UnflushedMemory memory;
  private final BlockCache cache;
  private final Clock clock;
  private final RandomGenerator random;
  private final BiConsumer<ReplicaName, StoreEvent> events;
  private final ServerLog log;

  /**
   * Looks at a directory, which need not exist, and hands to replicas what the log has of them.
   *
   * @param settings of log and compaction, for each replica; all else comes from schemas
   * @param memory shared by all replicas for changes that are not in files yet
   * @param cache shared by all replicas
   */
  public ReplicaStores(
      FileStore files,
      FilePath root,
      StoreSettings settings,
      UnflushedMemory memory,
      BlockCache cache,
      Clock clock,
      RandomGenerator random,
      BiConsumer<ReplicaName, StoreEvent> events) {
    this.files = files;
    this.root = root;
    this.settings = memory.within(settings);
    this.memory = memory;
    this.cache = cache;
    this.clock = clock;
    this.random = random;
    this.events = events;
    try {
      distributeLog();
      this.log = new ServerLog(files, LOG, settings.commitLog(), clock);
    } catch (IOException e) {
      throw new UnavailableException("the log of replicas in " + describe() + ": " + e, e);
    }
    memory.flushesFor(log::longestHolder);
  }

  private void distributeLog() throws IOException {
    try {
      distribution().distributeAll();
    } catch (CorruptDataException e) {
      setAsideAll(e);
    }
  }

  private LogDistribution distribution() {
    return new LogDistribution(
        files, LOG, name -> isWhole(path(name)) ? Optional.of(directory(name)) : Optional.empty());
  }

  /**
   * The log is damaged: nobody knows which replicas lack acknowledged changes, so none is served
   * before the others have sent it everything again.
   */
  private void setAsideAll(CorruptDataException damage) throws IOException {
    for (ReplicaName name : list()) {
      events.accept(
          name,
          new StoreEvent.BackgroundFailed(
              "reading the log of all replicas: replica " + name + " is set aside", damage));
      moveAside(name);
      noteMade(name);
    }
    move(LOG, SET_ASIDE.resolve("log." + clock.micros())); // last: until then it is found damaged
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
    moveHeld(name);
    moveAside(name);
  }

  private void moveAside(ReplicaName name) throws IOException {
    FilePath target =
        SET_ASIDE.resolve(name.table()).resolve(name.directory() + "." + clock.micros());
    move(path(name), target);
  }

  /** Moves what the log of all replicas has of one to its own directory. */
  private void moveHeld(ReplicaName name) throws IOException {
    OptionalLong held = log.held(name);
    if (held.isPresent()) {
      distribution().copy(name, held.getAsLong());
    }
    log.forget(name);
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
    return begin(name, schema, 0, () -> Long.MAX_VALUE);
  }

  /**
   * As {@link #open}; one that is made here has its first change behind a sequence, up to which it
   * will take over those of another.
   *
   * @param confirmed the sequence up to which all other replicas have its changes: erasures behind
   *     it are kept, whatever their age
   */
  public EnginePartition begin(
      ReplicaName name, TableSchema schema, long sequence, LongSupplier confirmed) {
    StoreLog.Opener share;
    try {
      moveHeld(name); // it was open before
      share =
          log.opener(
              name, LogDistribution.id(directory(name), "%016x".formatted(random.nextLong())));
    } catch (IOException e) {
      throw new UnavailableException("replica " + name + " cannot be opened: " + e, e);
    }
    return EnginePartition.open(
        name.toString(),
        directory(name),
        share,
        schema,
        settings,
        memory,
        cache,
        clock,
        random,
        event -> events.accept(name, event),
        sequence,
        confirmed);
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
    try {
      log.forget(name); // now: a crash before finds no directory to hand its records to
    } catch (IOException e) {
      // Files of the log that could not be deleted go with the next ones.
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

  /** What the log of all replicas did. */
  public CommitLog.Stats logStats() {
    return log.stats();
  }

  /** Closes the log. After all replicas are closed. */
  @Override
  public void close() {
    log.close();
  }

  private String describe() {
    return files.describe() + "/" + root;
  }
}
