package io.stele.metastore;

import io.stele.metastore.raft.Standing;

/**
 * How a member is.
 *
 * @param revision of the newest change here
 * @param compacted the oldest revision that can be read
 * @param diskBytes of the state's files, without the log
 * @param stateBytes of the state, with what is not in files yet
 * @param inUseBytes of these without history that was given up and is still to be dropped, about
 * @param logBytes of the log
 * @param quotaBytes of those in use, above which the state is refused more; 0 for none
 * @param noSpace whether the alarm of that is raised
 */
public record MetastoreStatus(
    String group,
    Standing standing,
    long revision,
    long compacted,
    int sessions,
    int locks,
    int watches,
    int transactions,
    long diskBytes,
    long stateBytes,
    long inUseBytes,
    long logBytes,
    long quotaBytes,
    boolean noSpace) {
  /** What it takes up in all. */
  public long totalBytes() {
    return stateBytes + logBytes;
  }
}
