package io.stele.client.metastore;

/**
 * What a principal may do below a directory.
 *
 * @param principal {@code *} for everybody who has no entry of their own
 */
public record AclEntry(String principal, boolean read, boolean write) {}
