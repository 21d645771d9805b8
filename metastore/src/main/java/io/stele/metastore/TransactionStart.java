package io.stele.metastore;

/**
 * An interactive transaction has begun.
 *
 * @param id {@code [term]:[n]}
 * @param revision at which it reads
 */
public record TransactionStart(String id, long revision) {}
