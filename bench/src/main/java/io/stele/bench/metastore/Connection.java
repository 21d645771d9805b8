package io.stele.bench.metastore;

import java.util.concurrent.CompletableFuture;

/**
 * One connection to a side's servers, as its client library or a thin client of ours makes it.
 *
 * <p>All calls return at once; their futures complete on the connection's thread. What is read is
 * checked, and an answer that cannot be right fails the future, as an error does.
 */
interface Connection extends AutoCloseable {
  /** Puts one value. */
  CompletableFuture<?> put(KeySet keys, long number, long edition);

  /** Reads one value, linearizably. */
  CompletableFuture<?> get(KeySet keys, long number);

  /** Reads so many keys and values in a row, linearizably; all of them must be there. */
  CompletableFuture<?> range(KeySet keys, long first, int count);

  /**
   * Reads two values, one after the other, then writes both, as one serializable transaction of
   * which the application decides what to write only when it has read; begun anew if others changed
   * what was read.
   */
  CompletableFuture<?> transact(KeySet keys, long one, long other, long edition);

  /** Likewise, in one request that says beforehand what is to be written. */
  CompletableFuture<?> transactAtOnce(KeySet keys, long one, long other, long edition);

  /** Puts so many keys in a row in one transaction. */
  CompletableFuture<?> load(KeySet keys, long first, int count);

  /** Starts watches of all keys of a set; completes when each of them will miss nothing more. */
  CompletableFuture<Watches> watch(KeySet keys, int firstWatcher, int count, EventSink sink);

  /**
   * Forgets the history of all keys up to now; completes when the side says that it is done.
   *
   * @param keys of which the store has some
   */
  CompletableFuture<?> compact(KeySet keys);

  /** How often a transaction had to begin anew, so far. */
  long conflicts();

  @Override
  void close() throws Exception;

  /** Watches that run until they are closed. */
  interface Watches extends AutoCloseable {
    @Override
    void close();
  }

  /** Who is told what watchers see; a watcher's events come one after the other. */
  interface EventSink {
    void put(int watcher, long edition);

    void failed(int watcher, Throwable problem);
  }
}
