package io.stele.gateway.metric;

import io.stele.base.metric.Timings;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests of one kind for one table. */
public final class RequestMeter {
  private final RequestKind kind;
  private final String table;
  private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class); // of all
  private final LongAdder received = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final Timings timings = new Timings();

  RequestMeter(RequestKind kind, String table) {
    this.kind = kind;
    this.table = table;
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, new LongAdder());
    }
  }

  void count(Outcome outcome, long receivedBytes, long sentBytes) {
    counter(outcome).increment();
    received.add(receivedBytes);
    sent.add(sentBytes);
  }

  private LongAdder counter(Outcome outcome) {
    return Objects.requireNonNull(outcomes.get(outcome));
  }

  void time(long nanos) {
    timings.record(nanos);
  }

  public RequestKind kind() {
    return kind;
  }

  /** Empty for requests that are about no table. */
  public String table() {
    return table;
  }

  public long count(Outcome outcome) {
    return counter(outcome).sum();
  }

  public long receivedBytes() {
    return received.sum();
  }

  public long sentBytes() {
    return sent.sum();
  }

  /** Of requests whose time says something about the server. */
  public Timings.Snapshot timings() {
    return timings.snapshot();
  }
}
