package io.stele.bench.report;

import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Shown;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a result says beside its figures. */
public final class Notes {
  /** From here on a result tells how much of the machine other processes used. */
  public static final double MOST_NOISE = 0.15;

  private final List<String> parts = new ArrayList<>();

  public Notes add(String part) {
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return this;
  }

  /** How long single requests took. */
  public Notes latency(List<Shown<Sample>> shown) {
    return add(
        "p50/p99 µs: "
            + each(
                shown,
                side ->
                    "%s/%s"
                        .formatted(
                            micros(side.median(Sample::p50Micros)),
                            micros(side.median(Sample::p99Micros)))));
  }

  private static String micros(double micros) {
    return String.format(Locale.ROOT, micros < 100 ? "%.1f" : "%,.0f", micros);
  }

  /** What a request cost in processor time. */
  public Notes cpu(List<Shown<Sample>> shown, String what) {
    return add(
        "CPU µs a %s, servers+clients: ".formatted(what)
            + each(
                shown,
                side -> {
                  long runs = side.samples().stream().mapToLong(Sample::runs).sum();
                  double perRun = 1e6 / Math.max(1, runs);
                  return String.format(
                      Locale.ROOT,
                      "%,.0f+%,.0f",
                      side.serverSeconds() * perRun,
                      side.clientSeconds() * perRun);
                }));
  }

  /** What the idle sides used of the machine, and others if that is much. */
  public Notes noise(List<? extends Shown<?>> shown) {
    if (shown.stream().anyMatch(side -> side.idle() > 0)) {
      add(
          "noise of the idle side in the turn of: "
              + each(shown, side -> String.format(Locale.ROOT, "%.1f %%", side.idle() * 100)));
    }
    OptionalDouble others = others(shown);
    return others.orElse(0) <= MOST_NOISE
        ? this
        : add(
            String.format(
                Locale.ROOT,
                "other processes used up to %.0f %% of the machine",
                others.getAsDouble() * 100));
  }

  /** The largest share of the machine that anything but the measured side used. */
  public static OptionalDouble others(List<? extends Shown<?>> shown) {
    return shown.stream().map(Shown::others).flatMapToDouble(OptionalDouble::stream).max();
  }

  private static <S extends Shown<?>> String each(List<S> shown, Function<S, String> text) {
    return shown.stream()
        .map(side -> side.name() + " " + text.apply(side))
        .collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return String.join("; ", parts);
  }
}
