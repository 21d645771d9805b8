package io.stele.client.metastore;

/**
 * One of the servers that keep the metastore.
 *
 * @param raftAddress where the members replicate their log
 * @param serviceAddress where clients reach it
 */
public record Member(String id, String raftAddress, String serviceAddress) {}
