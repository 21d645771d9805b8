package io.stele.base.file;

/**
 * What a crash leaves of what was not synced, in a {@link MemoryFileStore}.
 *
 * <p>All but the first and the last kind draw from {@code seed}: how much of each file survives,
 * and whether each name that was made, and each deletion, that no sync had settled comes through.
 *
 * @param unsynced what becomes of bytes that were written but not synced
 * @param tail what lies behind a torn prefix
 */
public record CrashMode(Unsynced unsynced, Tail tail, long seed) {
  /** What becomes of unsynced bytes. */
  public enum Unsynced {
    /** All of it is gone, and deletions that were not settled are undone. */
    LOST,
    /** Each file keeps a prefix of random length. */
    PREFIX,
    /** Each sector of 512 bytes comes through or reads as zeros, whatever its neighbours do. */
    SECTORS,
    /**
     * All of it is there: the process was killed and the machine went on. None of it is more
     * durable for that: a second crash may take it, unless {@link FileStore#sync} was called for
     * the file.
     */
    KEPT
  }

  /** What lies behind a torn prefix. */
  public enum Tail {
    /** The file ends there. */
    NONE,
    /** The file has its full length: its size reached the disk and its bytes did not. */
    ZEROS,
    /** Random bytes, up to the file's full length. */
    GARBAGE
  }

  /** Everything that was not synced is lost. */
  public static CrashMode dropUnsynced() {
    return new CrashMode(Unsynced.LOST, Tail.NONE, 0);
  }

  /** A random prefix of what was not synced is left of each file. */
  public static CrashMode tornTails(long seed, Tail tail) {
    return new CrashMode(Unsynced.PREFIX, tail, seed);
  }

  /** Random sectors of what was not synced are left of each file, with holes between them. */
  public static CrashMode scattered(long seed) {
    return new CrashMode(Unsynced.SECTORS, Tail.NONE, seed);
  }

  /** Nothing is lost that was written. */
  public static CrashMode processKilled() {
    return new CrashMode(Unsynced.KEPT, Tail.NONE, 0);
  }

  boolean random() {
    return unsynced == Unsynced.PREFIX || unsynced == Unsynced.SECTORS;
  }
}
