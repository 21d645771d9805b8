package io.stele.gateway.nativeapi;

import io.stele.base.file.FilePath;
import io.stele.protocol.v1.TabletName;
import io.stele.protocol.v1.TabletOrder;
import io.stele.protocol.v1.TabletOutcomeAnswer;
import io.stele.protocol.v1.TabletOutcomes;
import io.stele.protocol.v1.TabletServerReport;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.ServerReport;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.TabletKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a master and tablet servers tell each other, on the wire. */
final class ControlWire {
  private ControlWire() {}

  static TabletName toWire(TabletKey tablet) {
    TabletName.Builder wire = TabletName.newBuilder().setTable(tablet.table());
    tablet.last().ifPresent(last -> wire.setLast(WireCells.toWire(last)));
    return wire.build();
  }

  static TabletKey tablet(TabletName wire) {
    return new TabletKey(
        wire.getTable(),
        wire.hasLast() ? Optional.of(WireCells.bytes(wire.getLast())) : Optional.empty());
  }

  static TabletOrder order(long token, List<TabletKey> tablets) {
    TabletOrder.Builder wire = TabletOrder.newBuilder().setToken(token);
    tablets.forEach(tablet -> wire.addTablets(toWire(tablet)));
    return wire.build();
  }

  static List<TabletKey> tablets(TabletOrder wire) {
    return wire.getTabletsList().stream().map(ControlWire::tablet).toList();
  }

  static TabletOutcomes toWire(List<TabletOutcome> outcomes) {
    TabletOutcomes.Builder wire = TabletOutcomes.newBuilder();
    for (TabletOutcome outcome : outcomes) {
      TabletOutcomeAnswer.Builder each =
          TabletOutcomeAnswer.newBuilder().setTablet(toWire(outcome.tablet()));
      outcome.problem().ifPresent(problem -> each.setProblem(ErrorMapping.toMessage(problem)));
      wire.addOutcomes(each);
    }
    return wire.build();
  }

  /**
   * What became of tablets.
   *
   * @param where the address that answered
   */
  static List<TabletOutcome> outcomes(String where, TabletOutcomes wire) {
    return wire.getOutcomesList().stream()
        .map(
            each ->
                each.hasProblem()
                    ? TabletOutcome.failed(
                        tablet(each.getTablet()),
                        ErrorMapping.fromMessage(where, each.getProblem()))
                    : TabletOutcome.done(tablet(each.getTablet())))
        .toList();
  }

  static TabletServerReport toWire(ServerReport report) {
    TabletServerReport.Builder wire =
        TabletServerReport.newBuilder()
            .setRun(report.server().run())
            .setAddress(report.server().address())
            .setNextFile(report.nextFile().value())
            .setMemoryBytes(report.memoryBytes());
    report.oldestPending().ifPresent(file -> wire.setOldestPending(file.value()));
    report.inUse().forEach(file -> wire.addInUse(file.value()));
    for (TabletReport tablet : report.tablets()) {
      wire.addTablets(
          io.stele.protocol.v1.TabletReport.newBuilder()
              .setTablet(toWire(tablet.tablet()))
              .setFirst(WireCells.toWire(tablet.first()))
              .setState(tablet.state())
              .setFileBytes(tablet.fileBytes())
              .setReads(tablet.reads())
              .setWrites(tablet.writes()));
    }
    return wire.build();
  }

  static ServerReport report(TabletServerReport wire) {
    return new ServerReport(
        new LiveServer(wire.getRun(), wire.getAddress()),
        wire.getTabletsList().stream().map(ControlWire::tabletReport).toList(),
        wire.hasOldestPending()
            ? Optional.of(FilePath.of(wire.getOldestPending()))
            : Optional.empty(),
        FilePath.of(wire.getNextFile()),
        wire.getInUseList().stream().map(FilePath::of).collect(Collectors.toUnmodifiableSet()),
        wire.getMemoryBytes());
  }

  private static TabletReport tabletReport(io.stele.protocol.v1.TabletReport wire) {
    return new TabletReport(
        tablet(wire.getTablet()),
        WireCells.bytes(wire.getFirst()),
        wire.getState(),
        wire.getFileBytes(),
        wire.getReads(),
        wire.getWrites());
  }
}
