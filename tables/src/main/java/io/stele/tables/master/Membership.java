package io.stele.tables.master;

import java.util.List;
import java.util.Set;

/**
 * Who takes part in the cluster, as the metastore knows it. All methods ask it, and may wait; an
 * answer is never older than the question.
 */
public interface Membership {
  /** The tablet servers whose sessions live. One that is missing acknowledges nothing any more. */
  List<LiveServer> live();

  /** Addresses of servers that are to have no tablets; also of those that do not live. */
  Set<String> draining();

  /** Addresses of servers that take part now, or ever did. */
  Set<String> known();

  void setDraining(String address, boolean draining);
}
