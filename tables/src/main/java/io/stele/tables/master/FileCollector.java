package io.stele.tables.master;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.tables.files.CollectionCheck;
import io.stele.tables.files.Trash;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.FragmentFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds files that nothing needs, and that nothing will, and moves them to the trash.
 *
 * <p>The order counts:
 *
 * <pre>
 *   1  who lives                     what dies later counts as living
 *   2  which files there are         what is made later is left alone
 *   3  what each living server has   what it may yet name, what it may still read
 *   4  what META names, durably      what a crash of META's server could bring back counts
 *   5  who lives now                 a server that came meanwhile was not asked: nothing goes
 * </pre>
 *
 * <p>A file leaves the third set only once META names it durably, so it is in the fourth, which is
 * read later. A server that does not answer in 3 stops everything.
 *
 * <p>A fragment goes if neither 3 nor 4 has it and no server can come to name it. Of a living run
 * these are the ones numbered below the first that it says it may yet name. Of a run that is gone,
 * all; but it may have sent a last configuration to META before it went, which could yet be
 * applied: META takes it only if the tablet is still as that run saw it, whose owner was that run,
 * or one that is gone as well, or nobody. So while any tablet is without a living owner, all files
 * and logs of runs that are gone stay.
 *
 * <p>What is superfluous once stays so: names are never used again. So it does no harm if a master
 * that was replaced goes on to move what it found.
 *
 * <p>All of that rests on META. {@link CollectionCheck} says when META cannot be believed.
 */
final class FileCollector {
  static final FilePath LOGS = FilePath.of("log");
  private static final String FRAGMENT = ".frag";

  private final FileStore files;
  private final FileStore logs;
  private final Supplier<List<LiveServer>> live;
  private final Function<List<LiveServer>, Map<LiveServer, Answer<ServerReport>>> reports;
  private final Supplier<List<TabletConfig>> configs;
  private final Supplier<Optional<String>> foreign;
  private final Trash trash;

  /**
   * Makes one.
   *
   * @param live who lives at this moment
   * @param reports asks servers what they have
   * @param configs reads the configurations of all tablets there are, as they are durable; fails if
   *     one cannot be read
   * @param foreign says why META does not speak of these files, if they are another cluster's
   */
  FileCollector(
      FileStore files,
      FileStore logs,
      Supplier<List<LiveServer>> live,
      Function<List<LiveServer>, Map<LiveServer, Answer<ServerReport>>> reports,
      Supplier<List<TabletConfig>> configs,
      Supplier<Optional<String>> foreign,
      Trash trash) {
    this.trash = trash;
    this.foreign = foreign;
    this.files = files;
    this.logs = logs;
    this.live = live;
    this.reports = reports;
    this.configs = configs;
  }

  /**
   * Files.
   *
   * @param living runs that may yet put files into their directories
   */
  private record Found(List<FileInfo> fragments, List<FileInfo> logs, Set<String> living) {
    static final Found NONE = new Found(List.of(), List.of(), Set.of());

    List<FilePath> paths() {
      return Stream.concat(fragments.stream(), logs.stream()).map(FileInfo::path).toList();
    }

    boolean isLiving(FilePath path) {
      return living.contains(path.parent().name());
    }
  }

  /**
   * What may go.
   *
   * @param blocked why nothing is moved now; empty if nothing stands in the way. The files are
   *     still listed where there are merely too many of them, so that somebody can look and decide.
   */
  private record Decision(Found superfluous, String blocked) {}

  /**
   * Finds what nothing needs.
   *
   * @param apply false to be told only
   * @param asked for by somebody who may take more than half of all files
   */
  synchronized Garbage collect(boolean apply, boolean asked) {
    try {
      Decision decision = decide(asked);
      Found found = decision.superfluous();
      if (apply && decision.blocked().isEmpty()) {
        move(files, found.fragments(), found.living());
        move(logs, found.logs(), found.living());
      }
      List<String> names = found.paths().stream().map(FilePath::value).toList();
      long bytes =
          found.fragments().stream().mapToLong(FileInfo::length).sum()
              + found.logs().stream().mapToLong(FileInfo::length).sum();
      return new Garbage(names, bytes, decision.blocked());
    } catch (IOException e) {
      throw new UnavailableException("files cannot be looked at or moved to the trash: " + e, e);
    }
  }

  private Decision decide(boolean asked) throws IOException {
    Optional<String> mismatch = foreign.get();
    if (mismatch.isPresent()) {
      return blocked(mismatch.get());
    }
    List<LiveServer> before = live.get();
    Found all = new Found(list(files, FragmentFiles.ROOT), list(logs, LOGS), Set.of());
    Map<String, ServerReport> known = new HashMap<>();
    for (var answer : reports.apply(before).entrySet()) {
      switch (answer.getValue()) {
        case Answer.Given<ServerReport>(ServerReport report) ->
            known.put(answer.getKey().run(), report);
        case Answer.Failed<ServerReport>(SteleException problem) -> {
          return blocked(
              "server "
                  + answer.getKey().address()
                  + " does not say which files it needs: "
                  + problem.getMessage());
        }
      }
    }
    List<TabletConfig> tablets;
    try {
      tablets = configs.get();
    } catch (SteleException e) {
      return blocked("what META names cannot be read: " + e.getMessage());
    }
    List<LiveServer> after = live.get();
    for (LiveServer server : after) {
      if (!known.containsKey(server.run())) {
        return blocked(
            "server "
                + server.address()
                + " has joined meanwhile, and was not asked what it needs");
      }
    }
    Optional<String> unclear =
        CollectionCheck.brokenMeta(tablets).or(() -> CollectionCheck.unknownName(all.paths()));
    if (unclear.isPresent()) {
      return blocked(unclear.get());
    }
    Found found = superfluous(all, known, tablets, after);
    int orphans = (int) found.paths().stream().filter(path -> !found.isLiving(path)).count();
    return new Decision(
        found, asked ? "" : CollectionCheck.tooMany(all.paths().size(), orphans).orElse(""));
  }

  private static Decision blocked(String why) {
    return new Decision(Found.NONE, why);
  }

  // ---- deciding

  private static Found superfluous(
      Found all,
      Map<String, ServerReport> reports,
      List<TabletConfig> tablets,
      List<LiveServer> live) {
    Set<FilePath> needed = new HashSet<>();
    Set<FilePath> neededLogs = new HashSet<>();
    boolean served = true;
    for (TabletConfig tablet : tablets) {
      tablet.fragments().values().forEach(refs -> refs.forEach(ref -> needed.add(ref.path())));
      tablet.logs().forEach(log -> neededLogs.add(log.directory()));
      served &= Picture.ownerOf(tablet, live).isPresent();
    }
    reports.values().forEach(report -> needed.addAll(report.inUse()));
    boolean allServed = served;
    List<FileInfo> fragments =
        all.fragments().stream()
            .filter(file -> !needed.contains(file.path()))
            .filter(
                file -> {
                  Optional<ServerReport> report =
                      Optional.ofNullable(reports.get(file.path().parent().name()));
                  return report.map(each -> isSettled(file.path(), each)).orElse(allServed);
                })
            .toList();
    List<FileInfo> logs =
        all.logs().stream()
            .filter(file -> allServed && !neededLogs.contains(file.path().parent()))
            .filter(file -> !reports.containsKey(file.path().parent().name()))
            .toList();
    return new Found(fragments, logs, reports.keySet());
  }

  /** Whether a living server made the file so long ago that it can only be named by META. */
  private static boolean isSettled(FilePath file, ServerReport report) {
    FilePath bound = report.oldestPending().orElse(report.nextFile());
    return file.name().endsWith(FRAGMENT)
        && bound.name().endsWith(FRAGMENT)
        && numberBelow(file.name(), bound.name());
  }

  /** Numbers have leading zeros up to a width; longer ones are larger. */
  private static boolean numberBelow(String name, String bound) {
    return name.length() == bound.length()
        ? name.compareTo(bound) < 0
        : name.length() < bound.length();
  }

  // ---- files

  /** The files of all runs: those of each are in a directory of their own. */
  private static List<FileInfo> list(FileStore store, FilePath root) throws IOException {
    List<FileInfo> found = new ArrayList<>();
    for (FileInfo run : store.list(root)) {
      if (run.directory()) {
        store.list(run.path()).stream().filter(file -> !file.directory()).forEach(found::add);
      }
    }
    return found;
  }

  private void move(FileStore store, Collection<FileInfo> superfluous, Set<String> living)
      throws IOException {
    trash.add(store, superfluous.stream().map(FileInfo::path).toList());
    Set<FilePath> directories = new HashSet<>();
    for (FileInfo file : superfluous) {
      if (!living.contains(file.path().parent().name())) {
        directories.add(file.path().parent());
      }
    }
    for (FilePath directory : directories) {
      if (store.list(directory).isEmpty()) {
        store.delete(directory);
      }
    }
  }
}
