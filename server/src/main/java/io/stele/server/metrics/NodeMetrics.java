package io.stele.server.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.stele.base.error.SteleException;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a node. What Stele counts is read from its parts when somebody asks; the JVM and
 * the process are looked at by Micrometer, from the first time on that somebody does, so that a
 * node that nobody watches pays nothing and starts as fast.
 */
public final class NodeMetrics implements MultiCollector, AutoCloseable {
  private static final String PREFIX = "stele.";
  private static final String OPEN_METRICS = "application/openmetrics-text";
  private static final String OPEN_METRICS_TYPE = OPEN_METRICS + "; version=1.0.0; charset=utf-8";
  private static final String TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final List<MetricSource> sources = new CopyOnWriteArrayList<>();
  private final LongAdder errors = new LongAdder();
  private @Nullable Shown shown; // guarded by this; made when first asked for

  /** What shows the metrics. */
  private record Shown(PrometheusMeterRegistry registry, JvmGcMetrics pauses) {}

  /** Adds a part that knows some values. */
  public void add(MetricSource source) {
    sources.add(source);
  }

  /** {@code GET /metrics}: Prometheus' text, or OpenMetrics where {@code Accept} asks for it. */
  public AdminAnswer page(AdminRequest request) {
    String type = request.accept().contains(OPEN_METRICS) ? OPEN_METRICS_TYPE : TEXT_TYPE;
    return new AdminAnswer.Text(AdminAnswer.OK, type, shown().registry().scrape(type));
  }

  private synchronized Shown shown() {
    Shown known = shown;
    if (known == null) {
      known = show();
      shown = known;
    }
    return known;
  }

  private Shown show() {
    PrometheusMeterRegistry registry =
        new PrometheusMeterRegistry(
            PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM);
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                return id.withName(PREFIX + id.getName());
              }
            });
    JvmGcMetrics pauses = new JvmGcMetrics();
    for (MeterBinder binder :
        List.of(
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            pauses)) {
      binder.bindTo(registry);
    }
    registry.getPrometheusRegistry().register(this);
    return new Shown(registry, pauses);
  }

  @Override
  public MetricSnapshots collect() {
    Readings readings = new Readings();
    for (MetricSource source : sources) {
      try {
        source.read(readings);
      } catch (SteleException e) {
        errors.increment(); // a part that is starting, or has stopped; the others are shown
      }
    }
    readings.set(Metric.SCRAPE_ERRORS, errors.sum());
    return readings.snapshots();
  }

  @Override
  public synchronized void close() {
    if (shown != null) {
      shown.pauses().close();
      shown.registry().close();
    }
  }
}
