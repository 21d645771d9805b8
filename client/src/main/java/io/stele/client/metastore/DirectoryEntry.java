package io.stele.client.metastore;

/**
 * A name in a directory.
 *
 * @param value whether it is a key
 * @param directory whether there are keys below it
 */
public record DirectoryEntry(String name, boolean value, boolean directory) {}
