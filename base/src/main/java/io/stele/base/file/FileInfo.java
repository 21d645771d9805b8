package io.stele.base.file;

import java.time.Instant;

/**
 * What a store knows about one path.
 *
 * @param length bytes; 0 for a directory
 * @param modified by the store's own clock, the one that file GC compares against
 */
public record FileInfo(FilePath path, boolean directory, long length, Instant modified) {}
