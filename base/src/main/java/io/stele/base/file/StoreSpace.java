package io.stele.base.file;

/**
 * The room of a file store, as the disk or the service underneath tells it.
 *
 * @param freeBytes that may still be written
 * @param totalBytes used or not
 */
public record StoreSpace(long freeBytes, long totalBytes) {}
