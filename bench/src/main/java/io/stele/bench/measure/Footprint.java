package io.stele.bench.measure;

import java.util.List;

/** The processes of one side at this moment; a side that runs in this process has none. */
public interface Footprint {
  Footprint THIS_PROCESS = List::of;

  List<ProcessHandle> servers();

  /** Those of the clients that are not in this process. */
  default List<ProcessHandle> clients() {
    return List.of();
  }
}
