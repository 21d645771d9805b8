package io.stele.bench.replica;

import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import java.util.List;

/** What the cases of one run of {@code stele bench replica} share. */
record ReplicaSetup(
    ReplicaExtent extent,
    TableSide replicated,
    TableSide tablets,
    Limit limit,
    Workspace workspace,
    Progress progress) {

  List<TableSide> sides() {
    return List.of(replicated, tablets);
  }

  String limitName() {
    return switch (limit) {
      case Limit.Present present -> present.name() + " " + present.version();
      case Limit.Absent(String name, _) -> name + " (absent)";
    };
  }

  /** Says that the limit is absent, if it is, and why. */
  String absence() {
    return limit instanceof Limit.Absent(String name, String reason)
        ? name + " is absent: " + reason
        : "";
  }
}
