package io.stele.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.stele.base.metric.Timings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The values of metrics at one moment, as sources tell them. By one thread. */
public final class Readings {
  private static final double NANOS = 1e9;
  private static final double[] BOUNDS = bounds();

  private final Map<Metric, List<CounterDataPointSnapshot>> counters = new EnumMap<>(Metric.class);
  private final Map<Metric, List<GaugeDataPointSnapshot>> gauges = new EnumMap<>(Metric.class);
  private final Map<Metric, List<HistogramDataPointSnapshot>> histograms =
      new EnumMap<>(Metric.class);

  private static double[] bounds() {
    double[] bounds = new double[Timings.buckets()];
    for (int i = 0; i < bounds.length - 1; i++) {
      bounds[i] = Timings.bound(i) / NANOS;
    }
    bounds[bounds.length - 1] = Double.POSITIVE_INFINITY;
    return bounds;
  }

  /** The value of a counter or a gauge; labels are in the order of the metric's. */
  public void set(Metric metric, double value, String... labels) {
    if (metric.type() == Metric.Type.COUNTER) {
      counters
          .computeIfAbsent(metric, _ -> new ArrayList<>())
          .add(
              CounterDataPointSnapshot.builder()
                  .value(value)
                  .labels(labels(metric, labels))
                  .build());
    } else {
      gauges
          .computeIfAbsent(metric, _ -> new ArrayList<>())
          .add(
              GaugeDataPointSnapshot.builder().value(value).labels(labels(metric, labels)).build());
    }
  }

  public void set(Metric metric, long value, String... labels) {
    set(metric, (double) value, labels);
  }

  /** A counter of time that is counted in nanoseconds. */
  public void nanos(Metric metric, long nanos, String... labels) {
    set(metric, nanos / NANOS, labels);
  }

  public void set(Metric metric, Timings.Snapshot timings, String... labels) {
    long[] counts = new long[BOUNDS.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = timings.count(i);
    }
    histograms
        .computeIfAbsent(metric, _ -> new ArrayList<>())
        .add(
            HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, counts))
                .sum(timings.nanos() / NANOS)
                .labels(labels(metric, labels))
                .build());
  }

  private static Labels labels(Metric metric, String[] values) {
    return Labels.of(metric.labels(), List.of(values));
  }

  MetricSnapshots snapshots() {
    List<MetricSnapshot> all = new ArrayList<>();
    counters.forEach(
        (metric, points) -> {
          CounterSnapshot.Builder builder = CounterSnapshot.builder();
          points.forEach(builder::dataPoint);
          all.add(builder.name(metric.baseName()).help(metric.help()).build());
        });
    gauges.forEach(
        (metric, points) -> {
          GaugeSnapshot.Builder builder = GaugeSnapshot.builder();
          points.forEach(builder::dataPoint);
          all.add(builder.name(metric.baseName()).help(metric.help()).build());
        });
    histograms.forEach(
        (metric, points) -> {
          HistogramSnapshot.Builder builder = HistogramSnapshot.builder();
          points.forEach(builder::dataPoint);
          all.add(builder.name(metric.baseName()).help(metric.help()).build());
        });
    return new MetricSnapshots(all);
  }
}
