package io.stele.server;

import io.stele.base.dataset.DatasetStatus;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.Standing;
import io.stele.tables.TabletServer;
import io.stele.tables.master.ServerReport;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.tablet.TabletState;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the parts of a server tell of themselves by the admin port's {@code /status}. */
final class StatusParts {
  private StatusParts() {}

  static Map<String, Object> metastore(MetastoreStatus status) {
    Standing standing = status.standing();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("group", status.group());
    shown.put("member", member(standing.self()));
    shown.put("role", standing.role().name().toLowerCase(Locale.ROOT));
    shown.put("term", standing.term());
    standing.leader().ifPresent(leader -> shown.put("leader", member(leader)));
    shown.put("members", standing.members().stream().map(StatusParts::member).toList());
    shown.put("applied", standing.applied());
    shown.put("revision", status.revision());
    shown.put("compacted", status.compacted());
    shown.put("sessions", status.sessions());
    shown.put("locks", status.locks());
    shown.put("watches", status.watches());
    shown.put("transactions", status.transactions());
    shown.put("state_bytes", status.stateBytes());
    shown.put("log_bytes", status.logBytes());
    shown.put("quota_bytes", status.quotaBytes());
    shown.put("no_space", status.noSpace());
    return shown;
  }

  private static Map<String, Object> member(Member member) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", member.id());
    shown.put("address", member.serviceAddress());
    return shown;
  }

  /**
   * Tablets here, by state and by table.
   *
   * @param server nothing while there is none
   */
  static Map<String, Object> tables(String name, Optional<TabletServer> server) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("server", name);
    if (server.isPresent()) {
      ServerReport report = server.get().control().report();
      Map<String, Integer> byState = new TreeMap<>();
      Map<String, Integer> byTable = new TreeMap<>();
      for (TabletReport tablet : report.tablets()) {
        byState.merge(state(tablet), 1, Integer::sum);
        byTable.merge(tablet.tablet().table(), 1, Integer::sum);
      }
      shown.put("tablets", report.tablets().size());
      shown.put("by_state", byState);
      shown.put("by_table", byTable);
      shown.put("unflushed_bytes", report.memoryBytes());
    }
    return shown;
  }

  private static String state(TabletReport tablet) {
    return Arrays.stream(TabletState.values())
        .filter(state -> state.number() == tablet.state())
        .map(TabletState::text)
        .findFirst()
        .orElseThrow();
  }

  static Map<String, Object> datasets(List<DatasetStatus> datasets) {
    Map<String, Object> all = new TreeMap<>();
    for (DatasetStatus dataset : datasets) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("serving", dataset.serving());
      shown.put("pinned", dataset.pinned());
      shown.put("problem", dataset.problem());
      Map<String, Object> versions = new LinkedHashMap<>();
      dataset
          .versions()
          .forEach(
              version ->
                  version
                      .nodes()
                      .forEach(
                          own ->
                              versions.put(
                                  version.version(), own.state().name().toLowerCase(Locale.ROOT))));
      shown.put("versions", versions);
      all.put(dataset.dataset(), shown);
    }
    return all;
  }
}
