package io.stele.bench.metastore;

import io.stele.bench.measure.Contest.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What a result says beside its figures. */
final class Notes {
  /** From here on it tells how much of the machine other processes used. */
  private static final double NOISE = 0.15;

  private final List<String> parts = new ArrayList<>();

  Notes add(String part) {
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return this;
  }

  /** How long single requests took, Stele's first. */
  Notes latency(Setup setup, List<Summary> summaries) {
    List<String> sides = new ArrayList<>();
    for (int i = 0; i < summaries.size(); i++) {
      sides.add(
          String.format(
              Locale.ROOT,
              "%s %,.0f/%,.0f",
              setup.sides().get(i).name(),
              summaries.get(i).p50Micros(),
              summaries.get(i).p99Micros()));
    }
    return add("p50/p99 µs: " + String.join(", ", sides));
  }

  /** What a request cost in processor time, Stele's first. */
  Notes cpu(Setup setup, List<CpuCost> costs, String what) {
    List<String> sides = new ArrayList<>();
    for (int i = 0; i < costs.size(); i++) {
      sides.add(setup.sides().get(i).name() + " " + costs.get(i));
    }
    return add("CPU µs a %s, servers+clients: %s".formatted(what, String.join(", ", sides)));
  }

  /** How much of the machine was used by others than this process and the servers. */
  Notes noise(List<Summary> summaries) {
    OptionalDouble others =
        summaries.stream()
            .map(Summary::othersShare)
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .max();
    return others.orElse(0) <= NOISE
        ? this
        : add(
            String.format(
                Locale.ROOT,
                "other processes used up to %.0f %% of the machine",
                others.getAsDouble() * 100));
  }

  /** That the peer is absent, if it is, and why. */
  Notes absence(Setup setup) {
    return setup.peer() instanceof Peer.Absent(String peer, String reason)
        ? add(peer + " is absent: " + reason)
        : this;
  }

  @Override
  public String toString() {
    return parts.stream().collect(Collectors.joining("; "));
  }
}
