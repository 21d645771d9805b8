package io.stele.bench.metastore;

import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.report.Notes;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What both sides showed of one large store, told figure by figure.
 *
 * @param prefix of the names of its results
 */
record StoreReport<T>(Run run, Peer<?> peer, String prefix, List<Shown<T>> shown) {
  void tell(
      String what,
      String unit,
      Better better,
      ToDoubleFunction<T> figure,
      @Nullable Double goal,
      String note) {
    run.tellFigures(
        name(what),
        unit,
        better,
        shown.stream().map(side -> side.median(figure)).toList(),
        peer,
        goal,
        new Notes().add(note));
  }

  String name(String what) {
    return prefix + "-" + what;
  }

  /** A text of each side, one after the other. */
  String each(Function<Shown<T>, String> text) {
    return shown.stream()
        .map(side -> side.name() + " " + text.apply(side))
        .collect(Collectors.joining(", "));
  }

  /** How long single requests of each side took. */
  String latencies(Function<T, Sample> requests) {
    return "p50/p99 µs: "
        + each(
            side ->
                String.format(
                    Locale.ROOT,
                    "%,.0f/%,.0f",
                    side.median(all -> requests.apply(all).p50Micros()),
                    side.median(all -> requests.apply(all).p99Micros())));
  }

  /** 20,000,000 is 20M. */
  static String label(long count) {
    if (count >= 1_000_000 && count % 1_000_000 == 0) {
      return count / 1_000_000 + "M";
    }
    return count >= 1_000 && count % 1_000 == 0 ? count / 1_000 + "k" : Long.toString(count);
  }
}
