package io.stele.server;

import io.stele.base.node.NodeReport;
import io.stele.base.node.NodeReport.Disk;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** Looks at this server and its machine, for whoever asks how it is. */
final class Inspection implements Supplier<NodeReport> {
  private static final String LOCAL_SCHEME = "file:";
  private static final int MOST_PROBLEMS = 20;

  private final String address;
  private final List<String> roles;
  private final Map<String, Path> directories = new LinkedHashMap<>();
  private final Clock clock;
  private final long start;
  private final Map<String, String> problems = new ConcurrentSkipListMap<>(); // by what has them
  private volatile Supplier<String> run = () -> "";

  Inspection(String address, List<String> roles, Clock clock) {
    this.address = address;
    this.roles = List.copyOf(roles);
    this.clock = clock;
    this.start = clock.nanos();
  }

  /** A directory whose disk it is to look at. */
  Inspection directory(String use, Path path) {
    directories.put(use, path);
    return this;
  }

  /** The same, if a location is a directory of this machine. */
  Inspection location(String use, String location) {
    if (location.startsWith(LOCAL_SCHEME)) {
      directory(use, Path.of(location.substring(LOCAL_SCHEME.length())));
    } else if (!location.contains(":")) {
      directory(use, Path.of(location));
    }
    return this;
  }

  /** Something cannot do its work. */
  void problem(String what, String problem) {
    problems.put(what, problem);
  }

  /** It can again. */
  void solved(String what) {
    problems.remove(what);
  }

  /** All whose names begin so can again. */
  void solvedAll(String prefix) {
    problems.keySet().removeIf(what -> what.startsWith(prefix));
  }

  /** Asks for the name of its tablet server's session. */
  void runBy(Supplier<String> asked) {
    run = asked;
  }

  @Override
  public NodeReport get() {
    Runtime runtime = Runtime.getRuntime();
    List<Disk> disks = new ArrayList<>();
    directories.forEach((use, path) -> look(use, path, disks));
    return new NodeReport(
        address,
        roles,
        clock.micros(),
        clock.nanos() - start,
        run.get(),
        runtime.totalMemory() - runtime.freeMemory(),
        runtime.maxMemory(),
        problems(),
        disks);
  }

  /** A disk that is broken may have thousands of files. */
  private List<String> problems() {
    List<String> all = List.copyOf(problems.values());
    if (all.size() <= MOST_PROBLEMS) {
      return all;
    }
    List<String> some = new ArrayList<>(all.subList(0, MOST_PROBLEMS));
    some.add("and " + (all.size() - MOST_PROBLEMS) + " more problems");
    return some;
  }

  /** A disk that cannot be asked is left out: those who write to it tell what is wrong with it. */
  private static void look(String use, Path path, List<Disk> disks) {
    try {
      FileStore disk = Files.getFileStore(path);
      disks.add(new Disk(use, path.toString(), disk.getUsableSpace(), disk.getTotalSpace()));
    } catch (IOException e) {
      // Nothing to tell.
    }
  }
}
