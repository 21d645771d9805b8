package io.stele.protocol.wire;

import io.stele.base.node.NodeReport;
import io.stele.protocol.v1.InspectResponse;
import io.stele.protocol.v1.InspectedDisk;

/** What servers tell of themselves, to and from the wire. */
public final class WireNodes {
  private WireNodes() {}

  public static InspectResponse toWire(NodeReport report) {
    InspectResponse.Builder response =
        InspectResponse.newBuilder()
            .setAddress(report.address())
            .addAllRoles(report.roles())
            .setWallMicros(report.wallMicros())
            .setUpNanos(report.upNanos())
            .setRun(report.run())
            .setHeapBytes(report.heapBytes())
            .setHeapLimit(report.heapLimit())
            .addAllProblems(report.problems());
    for (NodeReport.Disk disk : report.disks()) {
      response.addDisks(
          InspectedDisk.newBuilder()
              .setUse(disk.use())
              .setPath(disk.path())
              .setFreeBytes(disk.freeBytes())
              .setTotalBytes(disk.totalBytes()));
    }
    return response.build();
  }

  public static NodeReport report(InspectResponse response) {
    return new NodeReport(
        response.getAddress(),
        response.getRolesList(),
        response.getWallMicros(),
        response.getUpNanos(),
        response.getRun(),
        response.getHeapBytes(),
        response.getHeapLimit(),
        response.getProblemsList(),
        response.getDisksList().stream()
            .map(
                disk ->
                    new NodeReport.Disk(
                        disk.getUse(), disk.getPath(), disk.getFreeBytes(), disk.getTotalBytes()))
            .toList());
  }
}
