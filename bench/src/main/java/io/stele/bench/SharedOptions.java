package io.stele.bench;

import io.stele.base.text.NearestName;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all benchmarks have. */
public final class SharedOptions {
  private static final double SHORTEST_SECONDS = 0.001;
  private static final double LONGEST_SECONDS = 600;
  private static final int MOST_ROUNDS = 1_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Less data and one short round: less than two minutes, rough figures.")
  private boolean quick;

  @Option(names = "--list", description = "List the cases and end.")
  private boolean list;

  @Option(
      names = {"--cases", "--case"},
      paramLabel = "NAME",
      split = ",",
      description = "Run only these cases.")
  private List<String> caseNames = new ArrayList<>();

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description = "Rounds of each case, of which the median counts (3; quick: 1).")
  private @Nullable Integer rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Length of a timed phase (4; quick: about half a second).")
  private @Nullable Double seconds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to keep the data meanwhile: an empty or new directory (a new one in ./target or,"
              + " where that is missing, in the system's directory for temporary files).")
  private @Nullable Path directory;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the results to this file as JSON.")
  private @Nullable Path json;

  public boolean quick() {
    return quick;
  }

  public boolean list() {
    return list;
  }

  /** The rounds that were asked for. */
  public OptionalInt rounds() {
    if (rounds == null) {
      return OptionalInt.empty();
    }
    within("--repeat", rounds, 1, MOST_ROUNDS);
    return OptionalInt.of(rounds);
  }

  /** The length of a phase that was asked for. */
  public Optional<Duration> phase() {
    if (seconds == null) {
      return Optional.empty();
    }
    if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS)) {
      throw mistake("--seconds is " + seconds + "; it must be 0.001 to 600");
    }
    return Optional.of(Duration.ofNanos((long) (seconds * 1e9)));
  }

  /** The cases that were asked for by name, all if none was; in their own order. */
  public <C> List<C> choose(List<C> all, Function<C, String> name) {
    return choose(all, name, name);
  }

  /** Likewise; the name of a group asks for all cases of it. */
  public <C> List<C> choose(List<C> all, Function<C, String> name, Function<C, String> group) {
    List<C> chosen = new ArrayList<>();
    for (String wanted : caseNames) {
      List<C> found =
          all.stream()
              .filter(each -> name.apply(each).equals(wanted) || group.apply(each).equals(wanted))
              .toList();
      if (found.isEmpty()) {
        throw unknownCase(
            wanted,
            all.stream().map(name).distinct().toList(),
            all.stream().flatMap(each -> Stream.of(name.apply(each), group.apply(each))).toList());
      }
      chosen.addAll(found);
    }
    return caseNames.isEmpty() ? all : all.stream().filter(chosen::contains).toList();
  }

  private ParameterException unknownCase(String name, List<String> known, List<String> similar) {
    String nearest =
        NearestName.of(name, similar).map("; did you mean '%s'?"::formatted).orElse(".");
    return mistake(
        "unknown case '%s'%s The cases are %s.".formatted(name, nearest, String.join(", ", known)));
  }

  /** Refuses a file for the results that cannot be written: before the run, not after it. */
  public void checkJson() {
    if (json == null) {
      return;
    }
    Path parent = json.toAbsolutePath().getParent();
    if (parent == null || Files.isDirectory(json) || !Files.isDirectory(parent)) {
      throw mistake("--json is " + json + "; it must be a file in a directory that exists");
    }
  }

  /** Writes the results where they were asked for. */
  public void writeJson(String peer, List<Result> results) throws IOException {
    if (json != null) {
      Files.writeString(json, new Report(peer, results).toJson() + "\n");
    }
  }

  public Workspace workspace() throws IOException {
    if (directory != null) {
      return Workspace.in(directory);
    }
    Path built = Path.of("target");
    return Workspace.inside(
        Files.isDirectory(built) && Files.isWritable(built)
            ? built
            : Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** Refuses a value of an option that is out of bounds. */
  public void within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw mistake("%s is %d; it must be %d to %d".formatted(option, value, least, most));
    }
  }

  public ParameterException mistake(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
