package io.stele.bench.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.VersionOutput.Format;
import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Run;
import io.stele.bench.driver.Crew;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Arena.Step;
import io.stele.bench.measure.Arena.Turn;
import io.stele.bench.measure.Better;
import io.stele.bench.process.SteleServers;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code stele bench dataset}: lookups and loads. Its results:
 *
 * <pre>
 *   local-N                     lookups/s by N threads of this process, beside the library alone
 *   http-N                      lookups/s over N connections, beside a constant answer
 *   http-proxied-N              likewise of keys that another node has, beside a constant answer
 *                               that is proxied for each request
 *   load-text, load-sparkey     MB/s from "look for versions" to "served", beside a copy
 *   switch                      ms from _SUCCESS of a small version until clients get it
 * </pre>
 */
@Command(
    name = "dataset",
    description = {
      "Measure datasets, beside what limits them.",
      "Lookups in this process, beside the library that shards are stored by; lookups over HTTP,"
          + " by wrk, of nodes that are processes of their own, beside the same HTTP server with a"
          + " constant answer, its own or, where a node asks another one, that of another server;"
          + " loads of a version, beside a copy of its files. A ratio above 1 means that Stele is"
          + " better."
    })
public final class DatasetCommand extends Benchmark<DatasetCommand.Work> {
  private static final double LOCAL_GOAL = 1.0;
  private static final double HTTP_GOAL = 0.8;
  private static final double PROXIED_GOAL = 0.5;
  private static final double LOAD_GOAL = 0.5;
  private static final int RUNS_PER_LOOK = 64;
  private static final int SMALL = 10_000; // records of a version that takes no time to load
  private static final int SWITCHES_IN_A_ROUND = 3;
  private static final int MOST_RECORDS = 1_000_000_000;

  /** Two forms of a version, each loaded and copied, and what the library has. */
  private static final int COPIES = 7;

  /** What a case does. */
  sealed interface Work {}

  private record Local(int threads) implements Work {}

  private record Http(int connections, boolean proxied) implements Work {}

  private record Load(Format format) implements Work {}

  private record Switch() implements Work {}

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Of a version, a hundred bytes each (10000000; quick: 300000).")
  private @Nullable Integer records;

  @Override
  protected List<Case<Work>> cases() {
    int processors = Runtime.getRuntime().availableProcessors();
    return List.of(
        new Case<>(
            "local-1", "lookups in this process by 1 thread, beside " + Library.NAME, new Local(1)),
        new Case<>(
            "local-all",
            "lookups by as many threads as processors, beside " + Library.NAME,
            new Local(processors)),
        new Case<>(
            "http-1", "lookups over 1 connection, beside a constant answer", new Http(1, false)),
        new Case<>(
            "http-64",
            "lookups over 64 connections, beside a constant answer",
            new Http(64, false)),
        new Case<>(
            "http-proxied-1",
            "likewise of keys that only another node has, beside a proxied constant",
            new Http(1, true)),
        new Case<>(
            "http-proxied-64",
            "likewise of keys that only another node has, beside a proxied constant",
            new Http(64, true)),
        new Case<>(
            "load-text",
            "loading a version of text files, beside copying them",
            new Load(Format.TEXT)),
        new Case<>(
            "load-sparkey",
            "loading a version of Sparkey files, beside copying them",
            new Load(Format.SPARKEY)),
        new Case<>("switch", "from _SUCCESS of a small version until it is served", new Switch()));
  }

  private int records() {
    return (int) scaled("--records", records, 10_000_000, 300_000, 1, MOST_RECORDS);
  }

  @Override
  protected long neededDiskBytes() {
    return (long) COPIES * records() * 2 * BenchRecords.BYTES;
  }

  @Override
  protected String peerColumn() {
    return "BESIDE";
  }

  @Override
  protected void measure(Run run, List<Case<Work>> wanted) throws Exception {
    Optional<Wrk> wrk = Wrk.find();
    run.fact(
        "scale",
        String.format(
            Locale.ROOT,
            "%s; %,d records of %d bytes in %d shards",
            run.lengths(),
            records(),
            BenchRecords.BYTES,
            BenchRecords.SHARDS));
    run.fact("servers", String.join(" ", Servers.flags()) + ", the constant one likewise");
    run.fact(
        "wrk",
        wrk.map(found -> found.program() + ", one thread")
            .orElse("ABSENT: not on the path (Debian: apt install wrk)"));
    List<Case<Work>> local = of(wanted, Local.class);
    if (!local.isEmpty()) {
      run.attempt("local", () -> local(run, local));
    }
    List<Case<Work>> http = of(wanted, Http.class);
    if (!http.isEmpty()) {
      run.attempt("http", () -> http(run, http, wrk));
    }
    for (Case<Work> each : wanted) {
      if (each.work() instanceof Load(Format format)) {
        run.attempt(each.name(), () -> load(run, each.name(), format));
      } else if (each.work() instanceof Switch) {
        run.attempt(each.name(), () -> switches(run));
      }
    }
  }

  private static List<Case<Work>> of(List<Case<Work>> cases, Class<? extends Work> kind) {
    return cases.stream().filter(each -> kind.isInstance(each.work())).toList();
  }

  private interface OnSource {
    void run(Path directory, Path source, long bytes) throws Exception;
  }

  /** Does something with a version of all records. */
  private void withSource(Run run, String name, Format format, OnSource step) throws Exception {
    var _ =
        run.within(
            name,
            directory -> {
              Path source = directory.resolve("source");
              run.progress().line("writing %,d records".formatted(records()));
              step.run(directory, source, BenchRecords.write(source, "v1", records(), format));
              return directory;
            });
  }

  private static void tell(
      Run run,
      String name,
      String unit,
      List<Shown<Sample>> shown,
      String peer,
      @Nullable Double goal,
      Notes notes) {
    run.tell(
        Result.beside(
            name,
            unit,
            Better.HIGHER,
            shown.get(0).figure(),
            Optional.of(shown.get(1).figure()),
            peer,
            goal,
            notes.noise(shown).toString()));
  }

  // ---- lookups in this process

  private void local(Run run, List<Case<Work>> cases) throws Exception {
    withSource(
        run,
        "local",
        Format.SPARKEY,
        (directory, source, _) -> {
          try (Node node = Node.open(source, directory.resolve("data"));
              Library library = Library.write(directory, records())) {
            node.awaitServed("v1");
            for (Case<Work> each : cases) {
              if (each.work() instanceof Local(int threads)) {
                local(run, each.name(), threads, node, library);
              }
            }
          }
        });
  }

  private void local(Run run, String name, int threads, Node node, Library library)
      throws Exception {
    List<Shown<Sample>> shown =
        run.contest(
            name,
            "lookups/s",
            Sample::perSecond,
            List.of(
                local(run, SteleServers.NAME, threads, thread -> lookups(node, thread)),
                local(run, Library.NAME, threads, thread -> library.lookups(thread, records()))));
    Notes notes = new Notes().add(Case.count(threads, "thread")).latency(shown);
    tell(run, name, "lookups/s", shown, Library.NAME, LOCAL_GOAL, notes);
  }

  private static Entrant<Sample> local(Run run, String name, int threads, Crew.Works works) {
    Turn<Sample> turn = _ -> new Crew(threads, run.seconds(), RUNS_PER_LOOK).run(works);
    return new Entrant<>(name, () -> turn.run(0), turn);
  }

  private Crew.Work lookups(Node node, int thread) {
    SplittableRandom random = new SplittableRandom(thread);
    return () -> {
      int number = random.nextInt(records());
      Lookup found =
          node.datasets().get(BenchRecords.DATASET, Bytes.wrap(BenchRecords.key(number)));
      if (!(found instanceof Lookup.Found)) {
        throw new IllegalStateException("record " + number + ": " + found);
      }
      return true;
    };
  }

  // ---- lookups over HTTP

  private void http(Run run, List<Case<Work>> cases, Optional<Wrk> found) throws Exception {
    Wrk wrk =
        found.orElseThrow(
            () ->
                new IOException(
                    "wrk, which asks over HTTP, is not on the path (Debian: apt install wrk)"));
    withSource(
        run,
        "http",
        Format.SPARKEY,
        (directory, source, _) -> {
          try (Servers servers = Servers.start(directory, source)) {
            for (Case<Work> each : cases) {
              if (each.work() instanceof Http(int connections, boolean proxied)) {
                run.attempt(
                    each.name(),
                    () ->
                        http(
                            run,
                            each.name(),
                            connections,
                            servers,
                            proxied,
                            (address, length) ->
                                wrk.run(directory, address, connections, records(), length)));
              }
            }
          }
        });
  }

  private interface Asking {
    Sample run(String address, java.time.Duration length) throws Exception;
  }

  private static void http(
      Run run, String name, int connections, Servers servers, boolean proxied, Asking asking)
      throws Exception {
    List<Entrant<Sample>> entrants = new ArrayList<>();
    String stele = proxied ? servers.proxy() : servers.holder();
    String limit = proxied ? servers.proxiedConstant() : servers.constant();
    for (String address : List.of(stele, limit)) {
      entrants.add(
          new Entrant<>(
              address.equals(stele) ? SteleServers.NAME : "constant",
              servers.footprint(address),
              () -> asking.run(address, run.phase()),
              _ -> asking.run(address, run.phase())));
    }
    List<Shown<Sample>> shown = run.contest(name, "lookups/s", Sample::perSecond, entrants);
    Notes notes = new Notes().add(connections + " connections of wrk").latency(shown);
    tell(run, name, "lookups/s", shown, "constant", proxied ? PROXIED_GOAL : HTTP_GOAL, notes);
  }

  // ---- loads

  private void load(Run run, String name, Format format) throws Exception {
    withSource(
        run,
        name,
        format,
        (_, source, bytes) -> {
          Path version = source.resolve(BenchRecords.DATASET).resolve("v1");
          double megabytes = bytes / 1e6;
          List<Shown<Sample>> shown =
              run.contest(
                  name,
                  "MB/s",
                  sample -> megabytes / sample.seconds(),
                  List.of(
                      timed(run, SteleServers.NAME, data -> load(source, data)),
                      timed(run, "copy", data -> copy(version, data))));
          tell(
              run,
              name,
              "MB/s",
              shown,
              "copy",
              LOAD_GOAL,
              new Notes()
                  .add(
                      String.format(
                          Locale.ROOT,
                          "%,.0f records/s, synced; %,.0f MB in %d files",
                          records() * shown.getFirst().figure() / megabytes,
                          megabytes,
                          BenchRecords.SHARDS)));
        });
  }

  private interface ToDirectory {
    void run(Path directory) throws Exception;
  }

  /** Something that is done into a new directory each time. */
  private static Entrant<Sample> timed(Run run, String name, ToDirectory step) {
    return new Entrant<>(
        name, () -> {}, _ -> run.within(name, directory -> timed(() -> step.run(directory))));
  }

  private static Sample timed(Step step) throws Exception {
    long start = System.nanoTime();
    step.run();
    return Sample.once((System.nanoTime() - start) / 1e9);
  }

  private static void load(Path source, Path data) throws Exception {
    try (Node node = Node.open(source, data)) {
      node.awaitServed("v1");
    }
  }

  /** The least that a load could be: the files of a version, copied and synced. */
  private static void copy(Path version, Path target) throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(version)) {
      files = listed.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Path copied = target.resolve(file.getFileName().toString());
      Files.copy(file, copied);
      try (FileChannel channel = FileChannel.open(copied, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
  }

  // ---- switches

  private static void switches(Run run) throws Exception {
    var _ =
        run.within(
            "switch",
            directory -> {
              Path source = directory.resolve("source");
              BenchRecords.write(source, "v0", SMALL, Format.SPARKEY);
              try (Node node = Node.open(source, directory.resolve("data"))) {
                node.awaitServed("v0");
                List<Shown<Sample>> shown =
                    run.contest(
                        "switch",
                        "ms",
                        sample -> sample.millis() / sample.runs(),
                        List.of(
                            new Entrant<>(
                                SteleServers.NAME,
                                () -> {},
                                round -> switches(source, node, round))));
                run.tell(
                    Result.beside(
                        "switch",
                        "ms",
                        Better.LOWER,
                        shown.getFirst().figure(),
                        Optional.empty(),
                        "none",
                        null,
                        new Notes()
                            .add(
                                "%,d records in %d shards, each synced; %d versions a round"
                                    .formatted(SMALL, BenchRecords.SHARDS, SWITCHES_IN_A_ROUND))
                            .noise(shown)
                            .toString()));
              }
              return directory;
            });
  }

  /** One version takes the place of the other, some times. */
  private static Sample switches(Path source, Node node, int round) throws Exception {
    double seconds = 0;
    for (int i = 1; i <= SWITCHES_IN_A_ROUND; i++) {
      String version = "v" + (round * SWITCHES_IN_A_ROUND + i);
      BenchRecords.write(source, version, SMALL, Format.SPARKEY);
      seconds += timed(() -> node.awaitServed(version)).seconds();
    }
    return new Sample(SWITCHES_IN_A_ROUND, seconds, 0, 0);
  }
}
