package io.stele.bench;

import java.util.Map;

/** One of those that are measured beside each other. */
public interface Side {
  /** Different from all others in one run. */
  String name();

  String version();

  /** What stands above the results, by name: how it is set up. */
  Map<String, String> facts();

  default String title() {
    return name() + " " + version();
  }
}
