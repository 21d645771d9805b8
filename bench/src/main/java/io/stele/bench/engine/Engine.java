package io.stele.bench.engine;

import java.util.List;

/** A side's open store. Each thread has its own {@link Access}; everything else is one thread's. */
interface Engine extends AutoCloseable {
  /** Does one thing to or with a record, again and again; it checks what it reads. */
  interface Access extends AutoCloseable {
    void to(long record) throws Exception;

    @Override
    default void close() throws Exception {}
  }

  /** Makes each thread's access. */
  interface AccessSource {
    Access open() throws Exception;
  }

  /**
   * One way in which a side's API can do what a case asks for.
   *
   * @param counts whether its figure can be the side's figure, which is the best of those that do;
   *     the others are only told of
   */
  record Way(String name, boolean counts, AccessSource source) {}

  /** Puts one record per call; with {@code sync} it is durable when the call returns. */
  Access puts(boolean sync);

  /** Waits until all that was put is in the log, and the log on disk. */
  void syncLog() throws Exception;

  /** All that is in memory to files, and the files merged as far as they ever are. */
  void flushAndCompact() throws Exception;

  /** Reads the value of a record. */
  List<Way> gets();

  /** Reads every byte of every key and value; the record does not matter. */
  List<Way> scans();

  /** Finds a record, and reads every byte of its value and of those behind it. */
  List<Way> seeks(int cells);
}
