package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Consistency.Acks;
import io.stele.bench.measure.Footprint;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Servers of one kind of table that run, and clients of them. */
interface TableServers extends Footprint, AutoCloseable {
  /** Of each partition, as many as there are servers. */
  int SERVERS = 3;

  /** Creates a table that is not split by itself; returns when all of it is served. */
  void create(String table, List<Bytes> splits) throws Exception;

  void drop(String table) throws Exception;

  /**
   * Starts to write one row.
   *
   * @param through the server whose client is used, if any server can be asked
   * @param acks how many must have it; a tablet table has one owner, who has it then
   */
  CompletableFuture<?> write(String table, Acks acks, int through, Bytes row, Bytes value);

  /** Starts to write many rows; done when all of them are durable. */
  CompletableFuture<?> writeAll(String table, List<Bytes> rows, List<Bytes> values);

  /** Whether a row is there, read from where it can be read now. */
  boolean has(String table, Bytes row);

  /** Whether every replica is on a server that lives, and has all that the others have. */
  boolean isSettled(String table);

  /** Whether replicas, compared with each other, are the same. */
  boolean isIdentical(String table);

  /** Begins to split a table of one part about in the middle. */
  void split(String table) throws Exception;

  /** Whether so many parts are served, and nothing is being split. */
  boolean hasParts(String table, int count);

  /** Stops the last server as a cut would: its connections stay, and nothing comes of it. */
  void pause() throws Exception;

  void resume() throws Exception;

  /** Starts a server more; returns when it can take replicas. */
  void startSpare() throws Exception;

  /** Ends the last of the first three servers with -9, for good. */
  void killLast() throws Exception;

  /** Its data goes next, so nobody need tidy up. */
  @Override
  void close();
}
