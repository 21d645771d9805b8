package io.stele.bench.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.VersionOutput.Format;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Contest;
import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.Median;
import io.stele.bench.measure.Operation;
import io.stele.bench.measure.Phase;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * All cases of {@code stele bench dataset}:
 *
 * <pre>
 *   local-N                     lookups/s by N threads of this process, beside the library alone
 *   http-N, http-proxied-N      lookups/s over N connections, beside a constant answer
 *   load-text, load-sparkey     MB/s from "look for versions" to "served", beside a copy
 *   switch                      ms from _SUCCESS of a small version until clients get it
 * </pre>
 */
final class DatasetBench {
  private static final double LOCAL_GOAL = 1.0;
  private static final double HTTP_GOAL = 0.8;
  private static final double LOAD_GOAL = 0.5;
  private static final int CONNECTIONS = 64;
  private static final int RUNS_PER_LOOK = 64;
  private static final int SMALL = 10_000; // records of a version that takes no time to load
  private static final String CONSTANT = "constant";
  private static final String COPY = "copy";
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  /** A case, by its name. */
  record Case(String name, String about) {}

  /** A case that gave no figures, and why. */
  record Failure(String name, Exception problem) {}

  private final DatasetSetup setup;
  private final Consumer<Result> results;
  private final List<Failure> failures = new ArrayList<>();

  /** Each result is handed over as soon as it is known. */
  DatasetBench(DatasetSetup setup, Consumer<Result> results) {
    this.setup = setup;
    this.results = results;
  }

  static List<Case> cases() {
    return List.of(
        new Case("local-1", "lookups in this process by 1 thread, beside " + Library.NAME),
        new Case("local-all", "lookups by as many threads as processors, beside " + Library.NAME),
        new Case("http-1", "lookups over 1 connection, beside a constant answer"),
        new Case("http-64", "lookups over 64 connections, beside a constant answer"),
        new Case("http-proxied-1", "likewise of keys that only another node has"),
        new Case("http-proxied-64", "likewise of keys that only another node has"),
        new Case("load-text", "loading a version of text files, beside copying them"),
        new Case("load-sparkey", "loading a version of Sparkey files, beside copying them"),
        new Case("switch", "from _SUCCESS of a small version until it is served"));
  }

  /** Returns the cases that failed; the others ran nevertheless. */
  List<Failure> run(List<Case> wanted) throws InterruptedException {
    List<String> names = wanted.stream().map(Case::name).toList();
    if (names.stream().anyMatch(name -> name.startsWith("local"))) {
      attempt("local", () -> local(names));
    }
    List<String> http = names.stream().filter(name -> name.startsWith("http")).toList();
    if (!http.isEmpty()) {
      attempt("http", () -> http(http));
    }
    if (names.contains("load-text")) {
      attempt("load-text", () -> load("load-text", Format.TEXT));
    }
    if (names.contains("load-sparkey")) {
      attempt("load-sparkey", () -> load("load-sparkey", Format.SPARKEY));
    }
    if (names.contains("switch")) {
      attempt("switch", this::switches);
    }
    return failures;
  }

  private interface Step {
    void run() throws Exception;
  }

  private void attempt(String name, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(new Failure(name, e));
      setup.progress().line("%s FAILED: %s".formatted(name, e));
    }
  }

  private interface InDirectory {
    void run(Path directory) throws Exception;
  }

  private void in(String name, InDirectory step) throws Exception {
    Path directory = setup.workspace().directory(name);
    try {
      step.run(directory);
    } finally {
      setup.workspace().delete(directory);
    }
  }

  private int records() {
    return setup.extent().records();
  }

  // ---- lookups in this process

  private void local(List<String> names) throws Exception {
    in(
        "local",
        directory -> {
          Path source = directory.resolve("source");
          setup.progress().line("writing %,d records".formatted(records()));
          BenchRecords.write(source, "v1", records(), Format.SPARKEY);
          try (Node node = Node.open(source, directory.resolve("data"));
              Library library = Library.write(directory, records())) {
            node.awaitServed("v1");
            if (names.contains("local-1")) {
              local("local-1", 1, node, library);
            }
            if (names.contains("local-all")) {
              local("local-all", PROCESSORS, node, library);
            }
          }
        });
  }

  private void local(String name, int threads, Node node, Library library) throws Exception {
    Phase phase = Phase.timed(threads, setup.extent().phase(), RUNS_PER_LOOK);
    List<Summary> summaries =
        contest(
            name,
            "lookups/s",
            new Entrant(
                "Stele",
                () -> phase.run(thread -> lookups(node, thread)),
                () -> phase.run(thread -> lookups(node, thread))),
            new Entrant(
                Library.NAME,
                () -> phase.run(thread -> library.lookups(thread, records())),
                () -> phase.run(thread -> library.lookups(thread, records()))));
    String note = threads + (threads == 1 ? " thread" : " threads");
    tell(name, "lookups/s", summaries, Library.NAME, Optional.of(LOCAL_GOAL), note);
  }

  private Operation lookups(Node node, int thread) {
    SplittableRandom random = new SplittableRandom(thread);
    return () -> {
      int number = random.nextInt(records());
      Lookup found =
          node.datasets().get(BenchRecords.DATASET, Bytes.wrap(BenchRecords.key(number)));
      if (!(found instanceof Lookup.Found)) {
        throw new IllegalStateException("record " + number + ": " + found);
      }
    };
  }

  // ---- lookups over HTTP

  private void http(List<String> names) throws Exception {
    if (setup.wrk().isEmpty()) {
      throw new IOException(
          "wrk, which asks over HTTP, is not on the path (Debian: apt install wrk)");
    }
    Wrk wrk = setup.wrk().get();
    in(
        "http",
        directory -> {
          Path source = directory.resolve("source");
          setup.progress().line("writing %,d records".formatted(records()));
          BenchRecords.write(source, "v1", records(), Format.SPARKEY);
          try (Servers servers = Servers.start(directory, source)) {
            for (String name : names) {
              int connections = name.endsWith("-1") ? 1 : CONNECTIONS;
              boolean proxied = name.startsWith("http-proxied");
              String address = proxied ? servers.proxy() : servers.holder();
              Optional<Double> goal = proxied ? Optional.empty() : Optional.of(HTTP_GOAL);
              attempt(name, () -> http(name, wrk, directory, servers, address, connections, goal));
            }
          }
        });
  }

  private void http(
      String name,
      Wrk wrk,
      Path directory,
      Servers servers,
      String address,
      int connections,
      Optional<Double> goal)
      throws Exception {
    Contest.Attempt stele = () -> ask(wrk, directory, servers, address, connections);
    Contest.Attempt constant = () -> ask(wrk, directory, servers, servers.constant(), connections);
    List<Summary> summaries =
        contest(
            name,
            "lookups/s",
            new Entrant("Stele", stele, stele),
            new Entrant(CONSTANT, constant, constant));
    tell(name, "lookups/s", summaries, CONSTANT, goal, connections + " connections of wrk");
  }

  private Sample ask(Wrk wrk, Path directory, Servers servers, String address, int connections)
      throws Exception {
    return wrk.run(
        directory, address, connections, records(), setup.extent().phase(), servers.handles());
  }

  private List<Summary> contest(String name, String unit, Entrant... entrants) throws Exception {
    return new Contest(name, unit, Sample::perSecond, setup.progress())
        .run(setup.extent().rounds(), List.of(entrants));
  }

  private void tell(
      String name,
      String unit,
      List<Summary> summaries,
      String peer,
      Optional<Double> goal,
      String note) {
    Notes notes = new Notes(List.of("Stele", peer)).add(note).latency(summaries).noise(summaries);
    double stele = summaries.get(0).figure();
    Optional<Double> theirs = Optional.of(summaries.get(1).figure());
    results.accept(
        goal.isPresent()
            ? Result.besidePeer(
                name, unit, Better.HIGHER, stele, theirs, peer, goal.get(), notes.toString())
            : Result.withoutGoal(name, unit, Better.HIGHER, stele, theirs, peer, notes.toString()));
  }

  // ---- loads

  private void load(String name, Format format) throws Exception {
    in(
        name,
        directory -> {
          Path source = directory.resolve("source");
          setup.progress().line("writing %,d records".formatted(records()));
          double megabytes = BenchRecords.write(source, "v1", records(), format) / 1e6;
          Path version = source.resolve(BenchRecords.DATASET).resolve("v1");
          List<Double> loads = new ArrayList<>();
          List<Double> copies = new ArrayList<>();
          for (int round = 0; round < setup.extent().rounds(); round++) {
            in("load", data -> loads.add(megabytes / seconds(() -> loaded(source, data))));
            in("copy", data -> copies.add(megabytes / seconds(() -> Copy.of(version, data))));
            setup
                .progress()
                .line(
                    String.format(
                        Locale.ROOT,
                        "%-22s %d/%d  %,14.1f MB/s, copied at %,.1f",
                        name,
                        round + 1,
                        setup.extent().rounds(),
                        loads.getLast(),
                        copies.getLast()));
          }
          double rate = median(loads);
          results.accept(
              Result.besidePeer(
                  name,
                  "MB/s",
                  Better.HIGHER,
                  rate,
                  Optional.of(median(copies)),
                  COPY,
                  LOAD_GOAL,
                  String.format(
                      Locale.ROOT,
                      "%,.0f records/s, synced; %,.0f MB in %d files",
                      records() * rate / megabytes,
                      megabytes,
                      BenchRecords.SHARDS)));
        });
  }

  private static void loaded(Path source, Path data) throws Exception {
    try (Node node = Node.open(source, data)) {
      node.awaitServed("v1");
    }
  }

  private static double seconds(Step step) throws Exception {
    long start = System.nanoTime();
    step.run();
    return (System.nanoTime() - start) / 1e9;
  }

  private static double median(List<Double> figures) {
    return Median.of(figures.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private void switches() throws Exception {
    in(
        "switch",
        directory -> {
          Path source = directory.resolve("source");
          BenchRecords.write(source, "v0", SMALL, Format.SPARKEY);
          List<Double> millis = new ArrayList<>();
          try (Node node = Node.open(source, directory.resolve("data"))) {
            node.awaitServed("v0");
            for (int i = 1; i <= setup.extent().switches(); i++) {
              String version = "v" + i;
              BenchRecords.write(source, version, SMALL, Format.SPARKEY);
              millis.add(seconds(() -> node.awaitServed(version)) * 1e3);
            }
          }
          results.accept(
              Result.withoutGoal(
                  "switch",
                  "ms",
                  Better.LOWER,
                  median(millis),
                  Optional.empty(),
                  "none",
                  "%,d records in %d shards, each synced; the median of %d versions"
                      .formatted(SMALL, BenchRecords.SHARDS, millis.size())));
        });
  }
}
