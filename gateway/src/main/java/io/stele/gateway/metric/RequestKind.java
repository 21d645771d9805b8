package io.stele.gateway.metric;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A kind of request, such as {@code read} of the interface {@link Api#ROWS}. Whoever answers such
 * requests gets it once from {@link Requests#kind}, and keeps it:
 *
 * <pre>{@code
 * long start = kind.start();
 * …
 * kind.finished(table, Outcome.OK, start, received, sent);
 * }</pre>
 */
public final class RequestKind {
  /** The table of requests whose table has no counts of its own. */
  static final String OTHER = "other";

  private final Requests requests;
  private final Api api;
  private final String name;
  private final ConcurrentHashMap<String, RequestMeter> meters = new ConcurrentHashMap<>();

  RequestKind(Requests requests, Api api, String name) {
    this.requests = requests;
    this.api = api;
    this.name = name;
  }

  public Api api() {
    return api;
  }

  public String name() {
    return name;
  }

  /** The moment at which a request begins. */
  public long start() {
    return requests.now();
  }

  /**
   * A request has ended.
   *
   * @param table empty if it is about none
   * @param start from {@link #start}
   */
  public void finished(
      String table, Outcome outcome, long start, long receivedBytes, long sentBytes) {
    long nanos = requests.now() - start;
    RequestMeter meter = meter(table, outcome);
    meter.count(outcome, receivedBytes, sentBytes);
    meter.time(nanos);
    if (nanos >= requests.slowNanos()) {
      requests.slow(this, table, outcome, nanos);
    }
  }

  /** A request has ended whose time says nothing, since it lasts as long as its client likes. */
  void ended(String table, Outcome outcome, long receivedBytes, long sentBytes) {
    meter(table, outcome).count(outcome, receivedBytes, sentBytes);
  }

  /** Only a request that succeeded shows that there is such a table. */
  private RequestMeter meter(String table, Outcome outcome) {
    RequestMeter known = meters.get(table);
    if (known != null) {
      return known;
    }
    boolean own = table.isEmpty() || requests.mayCount(table, outcome == Outcome.OK);
    return meters.computeIfAbsent(own ? table : OTHER, name -> new RequestMeter(this, name));
  }

  /** Of all tables there were requests for. */
  public Collection<RequestMeter> meters() {
    return meters.values();
  }
}
