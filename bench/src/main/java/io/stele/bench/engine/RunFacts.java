package io.stele.bench.engine;

import io.stele.bench.report.Machine;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What stands above the results: on what they were found, and how both sides were set up. */
final class RunFacts {
  private RunFacts() {}

  /** By name, in the order in which they are printed. */
  static Map<String, String> of(Setup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    facts.put("scale", scale(setup.scale()));
    EngineOptions options = setup.options(0); // the cache is as large as each case says
    facts.put(setup.stele().name(), "in this JVM; " + setup.stele().options(options));
    switch (setup.peer()) {
      case Peer.Present(EngineSide side, String version) ->
          facts.put(side.name(), version + " in this JVM; " + side.options(options));
      case Peer.Absent(String name, String reason) -> facts.put(name, "ABSENT: " + reason);
    }
    return facts;
  }

  private static String scale(Scale scale) {
    String sizes =
        scale.valueSizes().stream().map(String::valueOf).collect(Collectors.joining(" and "));
    return String.format(
        Locale.ROOT,
        "%,d records, keys of %d bytes, values of %s bytes; rounds: %d; timed phases of %.2f s",
        scale.records(),
        Records.KEY_BYTES,
        sizes,
        scale.rounds(),
        scale.phase().toNanos() / 1e9);
  }
}
