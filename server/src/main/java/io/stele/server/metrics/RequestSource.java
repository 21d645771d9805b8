package io.stele.server.metrics;

import io.stele.gateway.metric.Outcome;
import io.stele.gateway.metric.RequestKind;
import io.stele.gateway.metric.RequestMeter;
import io.stele.gateway.metric.Requests;

/** What the gateways of this process count. */
public final class RequestSource implements MetricSource {
  private final Requests requests;

  public RequestSource(Requests requests) {
    this.requests = requests;
  }

  @Override
  public void read(Readings into) {
    for (RequestKind kind : requests.kinds()) {
      for (RequestMeter meter : kind.meters()) {
        read(kind.api().label(), kind.name(), meter, into);
      }
    }
    into.set(Metric.REQUESTS_SLOW, requests.slowCount());
  }

  private static void read(String api, String kind, RequestMeter meter, Readings into) {
    String table = meter.table();
    for (Outcome outcome : Outcome.values()) {
      long count = meter.count(outcome);
      if (count > 0) {
        into.set(Metric.REQUESTS, count, api, kind, table, outcome.label());
      }
    }
    into.set(Metric.REQUEST_RECEIVED, meter.receivedBytes(), api, kind, table);
    into.set(Metric.REQUEST_SENT, meter.sentBytes(), api, kind, table);
    into.set(Metric.REQUEST_DURATION, meter.timings(), api, kind, table);
  }
}
