package io.stele.bench.measure;

/** What one thread of a phase does over and over. */
public interface Operation extends AutoCloseable {
  void run() throws Exception;

  @Override
  default void close() throws Exception {}

  /** Makes the operation of each thread, before the clock starts. */
  interface Source {
    Operation start(int thread) throws Exception;
  }
}
