package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;

/** The digest of what a reader sees of some rows; equal where that is equal. */
public record Digest(long rows, long cells, Bytes hash) {}
