package io.stele.cli.doctor;

import io.stele.base.error.SteleException;
import io.stele.base.node.NodeReport;
import io.stele.base.node.NodeReport.Disk;
import io.stele.cli.table.TabletText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Whether each server's machine is well: its clock, its disks, its memory. */
final class MachineCheck {
  private static final String CLOCKS = "clocks";
  private static final String DISKS = "disks";
  private static final String SERVERS = "servers";

  /** Beyond it, timestamps of cells that servers set are no longer in the order of events. */
  private static final long MOST_SKEW_MICROS = TimeUnit.MILLISECONDS.toMicros(500);

  private static final double LITTLE_SPACE = 0.10;
  private static final double NO_SPACE = 0.03;
  private static final double FULL_HEAP = 0.95;

  private final Patient patient;
  private final List<String> addresses;
  private final Map<String, Long> offsets = new LinkedHashMap<>();
  private final List<Finding> findings = new ArrayList<>();

  MachineCheck(Patient patient, List<String> addresses) {
    this.patient = patient;
    this.addresses = addresses;
  }

  List<Finding> findings() {
    for (String address : addresses) {
      try {
        long before = patient.wallMicros();
        NodeReport report = patient.node(address);
        long between = before + (patient.wallMicros() - before) / 2;
        offsets.put(address, report.wallMicros() - between);
        disks(address, report.disks());
        memory(address, report);
        for (String problem : report.problems()) {
          findings.add(
              Finding.problem(
                  SERVERS,
                  address + ": " + problem,
                  "look at its log and its disk; it tries again by itself"));
        }
      } catch (SteleException e) {
        findings.add(
            Finding.problem(
                SERVERS,
                "%s does not answer: %s".formatted(address, e.getMessage()),
                "look at its log and its machine"));
      }
    }
    clocks();
    return findings;
  }

  private void clocks() {
    if (offsets.isEmpty()) {
      return;
    }
    String slow = addresses.getFirst();
    String fast = slow;
    for (Map.Entry<String, Long> each : offsets.entrySet()) {
      if (each.getValue() < offsets.getOrDefault(slow, Long.MAX_VALUE)) {
        slow = each.getKey();
      }
      if (each.getValue() > offsets.getOrDefault(fast, Long.MIN_VALUE)) {
        fast = each.getKey();
      }
    }
    long skew = offsets.getOrDefault(fast, 0L) - offsets.getOrDefault(slow, 0L);
    long millis = TimeUnit.MICROSECONDS.toMillis(skew);
    findings.add(
        skew > MOST_SKEW_MICROS
            ? Finding.problem(
                CLOCKS,
                "that of %s is %d ms ahead of that of %s".formatted(fast, millis, slow),
                "set the clocks by NTP: cells without a timestamp of their own get the server's,"
                    + " and the newest must be the last")
            : Finding.ok(
                CLOCKS,
                offsets.size() == 1
                    ? "there is one server"
                    : "those of %d servers are within %d ms".formatted(offsets.size(), millis)));
  }

  private void disks(String address, List<Disk> disks) {
    for (Disk disk : disks) {
      double free = disk.totalBytes() == 0 ? 1 : disk.freeBytes() / (double) disk.totalBytes();
      String found =
          "%s: %s of %s free for %s in %s"
              .formatted(
                  address,
                  TabletText.size(disk.freeBytes()),
                  TabletText.size(disk.totalBytes()),
                  disk.use(),
                  disk.path());
      if (free < NO_SPACE) {
        findings.add(
            Finding.problem(DISKS, found, "make room at once: writes fail when it is full"));
      } else if (free < LITTLE_SPACE) {
        findings.add(Finding.warning(DISKS, found, "make room, or add servers"));
      } else {
        findings.add(Finding.ok(DISKS, found));
      }
    }
  }

  private void memory(String address, NodeReport report) {
    if (report.heapLimit() > 0 && report.heapBytes() > FULL_HEAP * report.heapLimit()) {
      findings.add(
          Finding.warning(
              SERVERS,
              "%s uses %s of its %s of heap"
                  .formatted(
                      address,
                      TabletText.size(report.heapBytes()),
                      TabletText.size(report.heapLimit())),
              "give it more (STELE_JAVA_OPTS=-Xmx...), or less to do: tables.memory,"
                  + " tables.cache"));
    }
  }
}
