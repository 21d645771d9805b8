package io.stele.metastore.watch;

/** A watch that has been set. */
public interface Watch extends AutoCloseable {
  /** The sink is ready again. */
  void resume();

  /** Asks for {@link WatchSink#progress} as soon as all that has happened so far is told. */
  void requestProgress();

  @Override
  void close();
}
