package io.stele.bench.metastore;

import io.stele.bench.SharedOptions;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.metastore.MetastoreBench.Failure;
import io.stele.bench.report.Machine;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stele bench metastore}: the metastore beside etcd. */
@Command(
    name = "metastore",
    description = {
      "Measure the metastore beside etcd.",
      "The members of both sides run as processes of their own on this machine, with the same"
          + " durability, and are asked the same in turns, over as many connections. Results that"
          + " end in -m1 or -m3 are of groups of so many members. A ratio above 1 means that Stele"
          + " is better."
    })
public final class MetastoreCommand implements Callable<Integer> {

  private final Function<Api, Side> stele;
  private final Supplier<Peer> peers;

  @Spec private CommandSpec spec;

  @Mixin private SharedOptions shared = new SharedOptions();

  @Option(
      names = "--members",
      paramLabel = "N",
      split = ",",
      description = "Sizes of the groups that are measured (1,3).")
  private List<Integer> members = new ArrayList<>();

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys of the large store (20,000,000; quick: 200,000).")
  private @Nullable Long keys;

  @Option(
      names = "--api",
      paramLabel = "API",
      description = "How Stele is asked: native, or etcd for etcd's API (${DEFAULT-VALUE}).")
  private String api = "native";

  public MetastoreCommand() {
    this(SteleSide::new, EtcdSide::find);
  }

  MetastoreCommand(Function<Api, Side> stele, Supplier<Peer> peers) {
    this.stele = stele;
    this.peers = peers;
  }

  @Override
  public Integer call() throws Exception {
    if (shared.list()) {
      printCases();
      return ExitCode.OK;
    }
    List<MetastoreCase> cases = shared.choose(MetastoreBench.cases(), MetastoreCase::name);
    Scale scale = scale();
    shared.checkJson();
    try (Workspace workspace = shared.workspace()) {
      workspace.checkSpace(scale.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      Setup setup = new Setup(scale, stele.apply(api()), peers.get(), workspace, progress);
      printHead(setup);
      return measure(setup, cases);
    }
  }

  private int measure(Setup setup, List<MetastoreCase> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<Failure> failures;
    try {
      failures = new MetastoreBench(setup, results::add).run(cases);
    } finally {
      // Also when the run was cut short: what was measured before took long enough.
      out.print(new Report(setup.peer().name().toUpperCase(Locale.ROOT), results).toTable());
      out.flush();
    }
    shared.writeJson(setup.peer().name(), results);
    for (Failure failure : failures) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printCases() {
    TextTable table = new TextTable("CASE", "MEASURES");
    MetastoreBench.cases().forEach(each -> table.row(each.name(), each.about()));
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
  }

  private void printHead(Setup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    facts.put("scale", scale(setup.scale()));
    facts.putAll(setup.stele().facts());
    switch (setup.peer()) {
      case Peer.Present(Side side) -> facts.putAll(side.facts());
      case Peer.Absent(String name, String reason) -> facts.put(name, "ABSENT: " + reason);
    }
    PrintWriter out = spec.commandLine().getOut();
    facts.forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private static String scale(Scale scale) {
    return String.format(
        Locale.ROOT,
        "groups of %s; %,d keys, values of %d bytes; large store of %,d keys; rounds: %d; timed"
            + " phases of %.2f s; connections: 1 for 1 client, else %d",
        scale.members().stream().map(String::valueOf).collect(Collectors.joining(" and ")),
        Scale.KEYS,
        Scale.VALUE_BYTES,
        scale.storeKeys(),
        scale.rounds(),
        scale.phase().toNanos() / 1e9,
        Scale.CONNECTIONS);
  }

  private Api api() {
    return switch (api) {
      case "native" -> Api.NATIVE;
      case "etcd" -> Api.ETCD;
      default ->
          throw new ParameterException(
              spec.commandLine(), "--api is '" + api + "': must be native or etcd");
    };
  }

  private Scale scale() {
    Scale scale = shared.quick() ? Scale.QUICK : Scale.FULL;
    if (!members.isEmpty()) {
      members.forEach(count -> shared.within("--members", count, 1, Scale.MOST_MEMBERS));
      scale = scale.withMembers(members.stream().distinct().toList());
    }
    if (keys != null) {
      shared.within("--keys", keys, Scale.LOAD_BATCH, KeySet.MOST);
      scale = scale.withStoreKeys(keys);
    }
    if (shared.rounds().isPresent()) {
      scale = scale.withRounds(shared.rounds().getAsInt());
    }
    return shared.phase().map(scale::withPhase).orElse(scale);
  }
}
