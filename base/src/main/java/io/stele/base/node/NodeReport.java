package io.stele.base.node;

import java.util.List;

/**
 * How a server is, as itself and its machine see it.
 *
 * @param address at which it believes to be reached
 * @param roles as its settings name them
 * @param wallMicros its wall clock, microseconds since 1970 UTC
 * @param upNanos how long it runs
 * @param run the name of its tablet server's session; empty if it has none
 * @param heapBytes in use, and {@code heapLimit} the most there may be
 * @param problems that keep it from its work, each with what to do; none if it is well
 * @param disks that it writes to, as far as they are this machine's
 */
public record NodeReport(
    String address,
    List<String> roles,
    long wallMicros,
    long upNanos,
    String run,
    long heapBytes,
    long heapLimit,
    List<String> problems,
    List<Disk> disks) {
  public NodeReport {
    problems = List.copyOf(problems);
    roles = List.copyOf(roles);
    disks = List.copyOf(disks);
  }

  /**
   * A directory and the disk that it is on.
   *
   * @param use what it is for
   */
  public record Disk(String use, String path, long freeBytes, long totalBytes) {}
}
