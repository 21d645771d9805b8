package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.files.CollectionCheck;
import io.stele.tables.files.RootCopies;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.files.Trash;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootConfig;
import io.stele.tables.meta.RootStore;
import io.stele.tables.meta.TableRows;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.FragmentFiles;
import io.stele.tables.tablet.FragmentOrigin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a metastore that knows nothing of a cluster's tables the metastore of that cluster.
 *
 * <p>META's own cells are in fragments and logs as those of every table are; all that is lost with
 * a metastore is the configuration of META0's tablet, and the cluster's id. The newest {@link
 * RootCopies copy} of the configuration is therefore enough to find all of META again, exactly as
 * it was: which fragments count, and which logs are to be replayed, is read and not guessed. No
 * fragment comes back that a compaction had replaced, and with it no cell that was erased.
 *
 * <p>Why the copy is never too old: a save of META0's configuration returns when its copy is
 * durable, and only then may the logs go that the configuration before it needed. Fragments that
 * only the last copy but one names may be in the trash by then, and are moved back from there.
 *
 * <p>Files that META does not name are listed and left alone.
 */
public final class MetaRebuild {
  private static final FilePath LOGS = FilePath.of("log");
  private static final Pattern RUN = Pattern.compile("s([0-9]+)");

  private final FileStore files;
  private final FileStore logs;
  private final RootStore root;
  private final RootCopies copies;
  private final Trash trash;

  /**
   * Looks at nothing yet.
   *
   * @param logs may be the same as the files
   * @param root the root store of the new metastore
   */
  public MetaRebuild(
      FileStore files, FileStore logs, RootStore root, RootCopies copies, Trash trash) {
    this.files = files;
    this.logs = logs;
    this.root = root;
    this.copies = copies;
    this.trash = trash;
  }

  /**
   * What was found.
   *
   * @param cluster whose files these are
   * @param copy the number of the copy of META0's configuration
   * @param tables names, in order
   * @param tablets of these tables
   * @param logs directories that are replayed when the tablets are loaded
   * @param restored files that META names and that are moved back from the trash
   * @param problems what will be missing or cannot be read
   * @param unnamed fragments that META does not name, with what they say of themselves
   */
  public record Found(
      UUID cluster,
      long copy,
      List<String> tables,
      int tablets,
      List<String> logs,
      List<String> restored,
      List<String> problems,
      List<String> unnamed) {}

  /**
   * Looks, and changes nothing. What META names and is in the trash is then a problem if META's own
   * tablets need it.
   *
   * @throws InvalidRequestException if the metastore has a META, or there is no copy to begin with
   */
  public Found look() {
    return attempt(() -> run(Optional.empty()));
  }

  /**
   * Rebuilds. No server may run on these files; the caller sees to it.
   *
   * @param before is given the highest number of a server's run that has left files here (0 if none
   *     has), when all is known and nothing is saved yet: no later run may have such a number
   * @throws InvalidRequestException as {@link #look} does; nothing was changed then
   */
  public Found rebuild(LongConsumer before) {
    return attempt(() -> run(Optional.of(before)));
  }

  private interface Work {
    Found run() throws IOException;
  }

  private Found attempt(Work work) {
    try {
      return work.run();
    } catch (IOException e) {
      throw new UnavailableException(
          "META cannot be rebuilt from %s: %s".formatted(files.describe(), e), e);
    }
  }

  private Found run(Optional<LongConsumer> changing) throws IOException {
    UUID cluster = StoreIdentity.stored(files, logs);
    Optional<RootStore.Root> before = root.load();
    check(cluster, before);
    RootCopies.Copy copy =
        copies
            .newest()
            .orElseThrow(
                () ->
                    new InvalidRequestException(
                        "%s holds no copy of META0's configuration (root/*.root): a server of this"
                                .formatted(files.describe())
                            + " version has never had META0. Restore a backup of the metastore"));
    Found found = new Look(cluster, copy, changing.isPresent()).found();
    if (changing.isPresent()) {
      changing.get().accept(lastRun());
      UUID id = root.identify(cluster);
      if (!id.equals(cluster)) {
        throw new ConflictException(
            "the metastore became that of cluster " + id + " meanwhile: nothing was rebuilt");
      }
      copies.begin(copy.config()); // before: later copies have versions of the new root store
      long _ = root.save(copy.config(), before.map(RootStore.Root::version).orElse(0L));
    }
    return found;
  }

  private void check(UUID cluster, Optional<RootStore.Root> before) throws IOException {
    Optional<UUID> known = root.identity();
    if (known.isPresent() && !known.get().equals(cluster)) {
      throw new InvalidRequestException(
          "the files in %s belong to cluster %s, and the metastore to cluster %s: use an empty"
                  .formatted(files.describe(), cluster, known.get())
              + " metastore, or the files of its cluster");
    }
    if (before.isPresent()) {
      TabletConfig meta = RootConfig.decode(before.get().config());
      if (missing(meta.paths()).isEmpty()
          && !StoreIdentity.isOlder(before.get(), copies.newest())) {
        throw new InvalidRequestException(
            "the metastore has the newest META (version %d), and its files are there: there is"
                    .formatted(before.get().version())
                + " nothing to rebuild; `stele meta verify` looks for damage");
      }
    }
  }

  private List<FilePath> missing(Collection<FilePath> paths) throws IOException {
    List<FilePath> missing = new ArrayList<>();
    for (FilePath path : new HashSet<>(paths)) {
      if (files.stat(path).isEmpty()) {
        missing.add(path);
      }
    }
    return missing;
  }

  /** The highest number of a run of a server in a cluster that has left files. */
  private long lastRun() throws IOException {
    List<FileInfo> runs = new ArrayList<>(files.list(FragmentFiles.ROOT));
    runs.addAll(logs.list(LOGS));
    long last = 0;
    for (FileInfo run : runs) {
      Matcher name = RUN.matcher(run.path().name());
      if (name.matches()) {
        last = Math.max(last, Long.parseLong(name.group(1)));
      }
    }
    return last;
  }

  /** One look at all of META, level by level: the tablets of each are named by the one above. */
  private final class Look {
    private final UUID cluster;
    private final RootCopies.Copy copy;
    private final boolean apply;
    private final List<TabletConfig> all = new ArrayList<>();
    private final List<String> restored = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    Look(UUID cluster, RootCopies.Copy copy, boolean apply) {
      this.cluster = cluster;
      this.copy = copy;
      this.apply = apply;
    }

    Found found() throws IOException {
      TabletConfig meta0 = RootConfig.decode(copy.config());
      MetaTable meta = new MetaTable(new StoredMeta(files, logs, meta0), new OnlyCopy(copy));
      take(List.of(meta0), true);
      take(meta.tablets(MetaLevel.META0, this::unreadable), true);
      List<TabletConfig> tablets = meta.tablets(MetaLevel.META1, this::unreadable);
      take(tablets, false);
      CollectionCheck.brokenMeta(all).ifPresent(problems::add);
      return new Found(
          cluster,
          copy.number(),
          meta.tables(),
          tablets.size(),
          all.stream()
              .flatMap(tablet -> tablet.logs().stream())
              .map(LogRef::directory)
              .distinct()
              .sorted()
              .map(FilePath::value)
              .toList(),
          restored,
          problems,
          unnamed());
    }

    private void unreadable(TableRows.UnreadableRow row) {
      problems.add("a row of META cannot be read: " + row.problem());
    }

    /**
     * Notes tablets, and moves files of theirs back that are in the trash.
     *
     * @param needed whether the look cannot go on without these files
     */
    private void take(List<TabletConfig> tablets, boolean needed) throws IOException {
      all.addAll(tablets);
      Set<FilePath> trashed = new HashSet<>();
      trash.list().forEach(file -> trashed.add(FilePath.of(file.path())));
      for (FilePath path : missing(tablets.stream().flatMap(t -> t.paths().stream()).toList())) {
        if (!trashed.contains(path)) {
          String problem = path + " is named by META and is neither here nor in the trash";
          if (needed) {
            throw new CorruptDataException("META", 0, "all files of META's own tablets", problem);
          }
          problems.add(problem);
        } else if (apply) {
          restored.addAll(trash.restore(path.value()));
        } else if (needed) {
          throw new InvalidRequestException(
              path
                  + " is in the trash: META cannot be read before it is moved back, which a"
                  + " rebuild does, and a look does not");
        } else {
          restored.add(path.value());
        }
      }
    }

    private List<String> unnamed() throws IOException {
      Set<FilePath> named = new HashSet<>();
      all.forEach(tablet -> named.addAll(tablet.paths()));
      new FixedTables(files).configs().forEach(tablet -> named.addAll(tablet.paths()));
      List<String> unnamed = new ArrayList<>();
      for (FileInfo run : files.list(FragmentFiles.ROOT)) {
        for (FileInfo file : files.list(run.path())) {
          if (!named.contains(file.path())) {
            unnamed.add(file.path() + ": " + origin(file.path()));
          }
        }
      }
      return unnamed;
    }

    private String origin(FilePath path) {
      try (DiskFragment fragment = DiskFragment.open(files, path, new BlockCache(0))) {
        return FragmentOrigin.of(fragment.properties().label())
            .map(FragmentOrigin::text)
            .orElse("says nothing of its table");
      } catch (IOException | CorruptDataException e) {
        return "is no whole fragment";
      }
    }
  }

  /** The copy in the place of a root store, to be read. */
  private record OnlyCopy(RootCopies.Copy copy) implements RootStore {
    @Override
    public Optional<Root> load() {
      return Optional.of(new Root(copy.config(), copy.number()));
    }

    @Override
    public long save(Bytes config, long expected) {
      throw new InvalidRequestException("a copy of META0's configuration cannot be changed");
    }

    @Override
    public Optional<UUID> identity() {
      return Optional.empty();
    }

    @Override
    public UUID identify(UUID proposed) {
      throw new InvalidRequestException("a copy of META0's configuration cannot be changed");
    }
  }
}
