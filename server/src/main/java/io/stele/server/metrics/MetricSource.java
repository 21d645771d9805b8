package io.stele.server.metrics;

/** A part of the node that knows the values of some metrics. */
@FunctionalInterface
public interface MetricSource {
  /** Tells the values of this moment. It may look at disks, and must not wait for other nodes. */
  void read(Readings into);
}
