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
    finished(table, outcome, start, start, "", receivedBytes, sentBytes);
  }

  /**
   * As above, of a request in two parts.
   *
   * @param between the moment at which the second began, from {@link #start}
   * @param parts what the two were, with a {@code %d} for the milliseconds of each
   */
  public void finished(
      String table,
      Outcome outcome,
      long start,
      long between,
      String parts,
      long receivedBytes,
      long sentBytes) {
    long now = requests.now();
    long nanos = now - start;
    RequestMeter meter = meter(table, outcome);
    meter.count(outcome, receivedBytes, sentBytes);
    meter.time(nanos);
    if (nanos >= requests.slowNanos()) {
      String spent =
          parts.isEmpty()
              ? ""
              : parts.formatted((between - start) / 1_000_000, (now - between) / 1_000_000);
      requests.slow(this, table, outcome, nanos, spent);
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
