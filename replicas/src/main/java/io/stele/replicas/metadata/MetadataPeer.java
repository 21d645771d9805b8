package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * What servers ask each other about METADATA files. Tables are named by their ids. Calls block for
 * a bounded time, and throw {@code Unavailable} or {@code OutcomeUnknown} where there is no answer.
 */
public interface MetadataPeer {
  /**
   * The encoded file of a transaction; none if the server does not have it.
   *
   * @throws io.stele.base.error.NotServingException if this is no metadata server of the table, or
   *     it lacks the valid file
   */
  Optional<Bytes> fetch(String table, String txn);

  /** Keeps a file durably; returns when it is. */
  void store(String table, String txn, Bytes file);

  /** Removes the file of a transaction that came to nothing. */
  void drop(String table, String txn);

  /**
   * Coordinates a change.
   *
   * @throws io.stele.base.error.ConflictException if its base is not valid, or no longer
   * @throws io.stele.base.error.NotServingException if this is no metadata server of the table, or
   *     it lacks the valid file
   */
  Metadata change(String table, MetadataChange change);

  /** Tells that a table has changed; the server looks for itself. */
  void changed(String table);

  /** Makes a server one of the metadata servers of a table. */
  void join(String table);

  /**
   * Lists the tables that the server knows in a coordination service that has lost them.
   *
   * @param force replaces METADATA that cannot be had even if a server that may have it is away
   * @return what was done, for people
   */
  List<String> adopt(boolean force);
}
