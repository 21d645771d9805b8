package io.stele.tables.files;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.RootConfig;
import io.stele.tables.meta.RootStore;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.FragmentFiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Whose files these are. A cluster has an id, which its metastore keeps beside the configuration of
 * META0, and which lies as a file in the file store and in the log store ({@link IdentityFile}).
 * Where they differ, or the metastore knows nothing of files that exist, the files must be left
 * alone: META of another cluster does not name them, so all of them would seem to be superfluous.
 *
 * <pre>
 *   id in the stores   id in the metastore   META0 in the metastore   then
 *   A                  A                     older than its copy      refuse: an older backup of the metastore
 *   A                  A                     any other                use A
 *   A                  B                     any                      refuse
 *   A                  none                  its files are here       A, an older metastore
 *   A                  none                  otherwise                refuse
 *   none               A or none             its files are here       A or a new id: files of before there were ids
 *   none               A or none             its files are missing    refuse
 *   none               A or none             none, no files           A or a new id: a new cluster
 *   none               A or none             none, but files          refuse
 * </pre>
 */
public final class StoreIdentity {
  private static final FilePath LOGS = FilePath.of("log");

  private final FileStore files;
  private final FileStore logs;
  private final RootStore root;
  private final RandomGenerator random;

  /**
   * Looks at nothing yet.
   *
   * @param logs may be the same as the files
   * @param random for the id of a new cluster
   */
  public StoreIdentity(FileStore files, FileStore logs, RootStore root, RandomGenerator random) {
    this.files = files;
    this.logs = logs;
    this.root = root;
    this.random = random;
  }

  /**
   * What was found.
   *
   * @param meta whether the metastore has the configuration of META0
   * @param agrees whether the files of that configuration are in the store
   * @param used whether the stores hold fragments or logs
   * @param stale whether a copy of that configuration beside the files is newer
   */
  record Found(
      Optional<UUID> files,
      Optional<UUID> logs,
      Optional<UUID> metastore,
      boolean meta,
      boolean agrees,
      boolean used,
      boolean stale) {}

  private sealed interface Decision {
    /** The id to use; nothing stands for a new one. */
    record Use(Optional<UUID> id) implements Decision {}

    record Refuse(String why) implements Decision {}
  }

  /**
   * Makes stores and metastore carry one id.
   *
   * @return that id
   * @throws InvalidRequestException if they belong to different clusters, or the metastore knows
   *     nothing of the files
   */
  public UUID settle() {
    try {
      Found found = look();
      while (true) {
        switch (decide(found)) {
          case Decision.Use(Optional<UUID> known) -> {
            UUID id = known.orElseGet(() -> new UUID(random.nextLong(), random.nextLong()));
            if (found.metastore().isPresent() || root.identify(id).equals(id)) {
              mark(files, found.files(), id);
              mark(logs, found.logs(), id);
              if (mismatch().isEmpty()) {
                return id;
              }
            }
            found = look(); // another node was quicker
          }
          case Decision.Refuse(String why) -> {
            Found again = look(); // perhaps in the middle of another node's first start
            if (again.equals(found)) {
              throw new InvalidRequestException(why);
            }
            found = again;
          }
        }
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * The cluster that stores belong to, whatever a metastore says.
   *
   * @throws InvalidRequestException if one of them carries no id, or they carry different ones
   */
  public static UUID stored(FileStore files, FileStore logs) throws IOException {
    Optional<UUID> inFiles = IdentityFile.read(files);
    Optional<UUID> inLogs = IdentityFile.read(logs);
    if (inFiles.isEmpty() || !inFiles.equals(inLogs)) {
      throw new InvalidRequestException(
          "the files in %s belong to %s, and the logs in %s to %s: both must be of one cluster"
              .formatted(files.describe(), name(inFiles), logs.describe(), name(inLogs)));
    }
    return inFiles.get();
  }

  private void mark(FileStore store, Optional<UUID> found, UUID id) throws IOException {
    if (found.isEmpty() && IdentityFile.read(store).isEmpty()) {
      IdentityFile.write(store, id, random.nextLong());
    }
  }

  /** Why no file here may be taken for superfluous; nothing if all ids are the same. */
  public Optional<String> mismatch() {
    try {
      Optional<UUID> metastore = root.identity();
      for (FileStore store : logs.equals(files) ? List.of(files) : List.of(files, logs)) {
        Optional<UUID> id = IdentityFile.read(store);
        if (id.isEmpty() || !id.equals(metastore)) {
          return Optional.of(
              "%s belongs to %s, and the metastore to %s"
                  .formatted(store.describe(), name(id), name(metastore)));
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private UnavailableException unreadable(IOException e) {
    return new UnavailableException(
        "whose files are in " + files.describe() + " cannot be read: " + e, e);
  }

  private static String name(Optional<UUID> id) {
    return id.map(known -> "cluster " + known).orElse("no cluster yet");
  }

  /**
   * Fails where META is about to begin over files that are there already: it would name none of
   * them.
   */
  public static void checkNoFragments(FileStore files) {
    try {
      if (holds(files, FragmentFiles.ROOT)) {
        throw new InvalidRequestException(
            "the metastore has no META, and %s holds fragments: META is not begun over them."
                    .formatted(files.describe())
                + " Restore a backup of the metastore that these files belong to, or run `stele"
                + " meta rebuild`");
      }
    } catch (IOException e) {
      throw new UnavailableException("fragments cannot be listed: " + e, e);
    }
  }

  // ---- deciding

  private Decision decide(Found found) {
    if (found.files().isPresent()
        && found.logs().isPresent()
        && !found.files().equals(found.logs())) {
      return new Decision.Refuse(
          "the files in %s belong to %s, and the logs in %s to %s: set tables.files and tables.logs"
                  .formatted(
                      files.describe(), name(found.files()), logs.describe(), name(found.logs()))
              + " to places of one cluster");
    }
    Optional<UUID> stored = found.files().or(found::logs);
    Optional<UUID> wanted = found.metastore().or(() -> stored);
    if (stored.isPresent()) {
      boolean known =
          found
              .metastore()
              .map(id -> id.equals(stored.get()))
              .orElse(found.meta() && found.agrees());
      if (known && found.stale()) {
        return stale(wanted);
      }
      return known ? new Decision.Use(wanted) : foreign(stored, found.metastore());
    }
    if (found.meta()) {
      return found.agrees() ? new Decision.Use(wanted) : missing(found.metastore());
    }
    return found.used() ? lost(found.metastore()) : new Decision.Use(wanted);
  }

  private Decision.Refuse foreign(Optional<UUID> stored, Optional<UUID> metastore) {
    return new Decision.Refuse(
        "the files in %s belong to %s, and this metastore belongs to %s: start with the metastore"
                .formatted(files.describe(), name(stored), name(metastore))
            + " of these files (its data directory, or a backup of it), or set tables.files to"
            + " another place; if that metastore is lost, `stele meta rebuild` makes this one take"
            + " its place");
  }

  private Decision.Refuse missing(Optional<UUID> metastore) {
    return new Decision.Refuse(
        "the metastore, which belongs to %s, names files that are not in %s: set tables.files to"
                .formatted(name(metastore), files.describe())
            + " the place that holds them, and see that it is mounted");
  }

  private Decision.Refuse stale(Optional<UUID> id) {
    return new Decision.Refuse(
        "the metastore of %s was restored from a backup that is older than the files in %s: its META"
                .formatted(name(id), files.describe())
            + " may lack tablets and acknowledged changes; `stele meta rebuild` puts the newest one"
            + " in its place");
  }

  private Decision.Refuse lost(Optional<UUID> metastore) {
    return new Decision.Refuse(
        "%s holds files of tables, and the metastore, which belongs to %s, has none: start with the"
                .formatted(files.describe(), name(metastore))
            + " metastore of these files (its data directory, or a backup of it), or set"
            + " tables.files to an empty place");
  }

  // ---- looking

  /** The stores first: another node that starts meanwhile writes its id to the metastore first. */
  private Found look() throws IOException {
    Optional<UUID> inFiles = IdentityFile.read(files);
    Optional<UUID> inLogs = logs.equals(files) ? inFiles : IdentityFile.read(logs);
    Optional<RootCopies.Copy> copy = new RootCopies(files, random).newest(); // before the original
    Optional<UUID> inMetastore = root.identity();
    Optional<RootStore.Root> original = root.load();
    Optional<TabletConfig> meta = original.map(kept -> RootConfig.decode(kept.config()));
    boolean agrees = meta.isPresent() && areHere(meta.get());
    boolean used = holds(files, FragmentFiles.ROOT) || holds(files, LOGS) || holds(logs, LOGS);
    boolean stale = original.isPresent() && isOlder(original.get(), copy);
    return new Found(inFiles, inLogs, inMetastore, meta.isPresent(), agrees, used, stale);
  }

  /** A copy is written after its original, so it is never newer than what the metastore has. */
  public static boolean isOlder(RootStore.Root original, Optional<RootCopies.Copy> copy) {
    return copy.isPresent() && copy.get().version() > original.version();
  }

  /**
   * Whether the files of META0 are in these stores: its fragments, or before there are any, logs.
   */
  private boolean areHere(TabletConfig meta) throws IOException {
    for (FilePath path : meta.paths()) {
      if (files.stat(path).isEmpty()) {
        return false;
      }
    }
    if (!meta.paths().isEmpty() || !holds(files, FragmentFiles.ROOT)) {
      return true;
    }
    for (LogRef log : meta.logs()) {
      if (!logs.list(log.directory()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Whether any run of a server has files below a directory. */
  private static boolean holds(FileStore store, FilePath directory) throws IOException {
    for (FileInfo run : store.list(directory)) {
      if (!run.directory() || !store.list(run.path()).isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
