package io.stele.server.dataset;

import io.stele.base.event.Event;

/** What happens between a node of datasets and the metastore. Lookups go on whatever it is. */
public sealed interface SharedEvent extends Event {

  /** The node has a session, and others see what it publishes. */
  record Joined(String cluster) implements SharedEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "datasets: takes part in cluster " + cluster;
    }
  }

  /** The metastore does not answer, or has forgotten the node; it is tried until it does. */
  record Apart(String cluster, String reason) implements SharedEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "datasets: goes on with what it last knew of cluster " + cluster + ": " + reason;
    }
  }
}
