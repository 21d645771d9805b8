package io.stele.metastore;

import io.stele.metastore.raft.Standing;

/**
 * How a member is.
 *
 * @param revision of the newest change here
 * @param compacted the oldest revision that can be read
 * @param diskBytes of the state, without the log
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
    long diskBytes) {}
