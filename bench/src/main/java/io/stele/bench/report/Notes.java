package io.stele.bench.report;

import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.CpuCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What a result says beside its figures. */
public final class Notes {
  /** From here on it tells how much of the machine other processes used. */
  private static final double NOISE = 0.15;

  private final List<String> sides;
  private final List<String> parts = new ArrayList<>();

  /** Notes on sides of these names, Stele first. */
  public Notes(List<String> sides) {
    this.sides = List.copyOf(sides);
  }

  public Notes add(String part) {
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return this;
  }

  /** How long single requests took, Stele's first. */
  public Notes latency(List<Summary> summaries) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < summaries.size(); i++) {
      texts.add(
          String.format(
              Locale.ROOT,
              "%s %,.0f/%,.0f",
              sides.get(i),
              summaries.get(i).p50Micros(),
              summaries.get(i).p99Micros()));
    }
    return add("p50/p99 µs: " + String.join(", ", texts));
  }

  /** What a request cost in processor time, Stele's first. */
  public Notes cpu(List<CpuCost> costs, String what) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < costs.size(); i++) {
      texts.add(sides.get(i) + " " + costs.get(i));
    }
    return add("CPU µs a %s, servers+clients: %s".formatted(what, String.join(", ", texts)));
  }

  /** How much of the machine was used by others than the servers and their clients. */
  public Notes noise(List<Summary> summaries) {
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

  @Override
  public String toString() {
    return parts.stream().collect(Collectors.joining("; "));
  }
}
