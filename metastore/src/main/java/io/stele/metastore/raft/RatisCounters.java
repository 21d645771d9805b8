package io.stele.metastore.raft;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.util.TimeDuration;

/**
 * What Ratis counts about itself. It insists on some such class, and its own takes a library and
 * several clock readings for each entry; this one counts and measures no times. Found by name, in
 * {@code META-INF/services}; an operator looks at {@link RaftEvent}s and {@link Standing} instead.
 */
public final class RatisCounters extends MetricRegistries {
  private static final Timekeeper NO_TIMES = () -> () -> 0;

  private static final class Counter implements LongCounter {
    private final LongAdder count = new LongAdder();

    @Override
    public void inc(long n) {
      count.add(n);
    }

    @Override
    public void dec(long n) {
      count.add(-n);
    }

    @Override
    public long getCount() {
      return count.sum();
    }
  }

  private record Registry(MetricRegistryInfo info, ConcurrentMap<String, LongCounter> counters)
      implements RatisMetricRegistry {
    @Override
    public Timekeeper timer(String name) {
      return NO_TIMES;
    }

    @Override
    public LongCounter counter(String name) {
      return counters.computeIfAbsent(name, _ -> new Counter());
    }

    @Override
    public boolean remove(String name) {
      return counters.remove(name) != null;
    }

    @Override
    public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {
      // Nobody asks, and to keep it would keep the server that it looks at.
    }

    @Override
    public MetricRegistryInfo getMetricRegistryInfo() {
      return info;
    }
  }

  private final Map<MetricRegistryInfo, RatisMetricRegistry> registries = new ConcurrentHashMap<>();

  @Override
  public void clear() {
    registries.clear();
  }

  @Override
  public RatisMetricRegistry create(MetricRegistryInfo info) {
    return registries.computeIfAbsent(info, key -> new Registry(key, new ConcurrentHashMap<>()));
  }

  @Override
  public boolean remove(MetricRegistryInfo info) {
    return registries.remove(info) != null;
  }

  @Override
  public Optional<RatisMetricRegistry> get(MetricRegistryInfo info) {
    return Optional.ofNullable(registries.get(info));
  }

  @Override
  public Set<MetricRegistryInfo> getMetricRegistryInfos() {
    return Set.copyOf(registries.keySet());
  }

  @Override
  public Collection<RatisMetricRegistry> getMetricRegistries() {
    return List.copyOf(registries.values());
  }

  @Override
  public void addReporterRegistration(
      Consumer<RatisMetricRegistry> reporter, Consumer<RatisMetricRegistry> stopReporter) {
    registries.values().forEach(reporter);
  }

  @Override
  public void enableJmxReporter() {
    // There is nothing to report.
  }

  @Override
  public void enableConsoleReporter(TimeDuration period) {
    // There is nothing to report.
  }
}
