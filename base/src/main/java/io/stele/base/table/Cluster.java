package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import java.util.List;
import java.util.Optional;

/** What people ask of a cluster as a whole; its master answers. All methods may take long. */
public interface Cluster extends StoredFiles {
  Status status();

  /**
   * Evens out what servers have.
   *
   * @param apply false to be told only
   * @return the moves that were, or would be, made
   */
  List<Move> balance(boolean apply);

  /**
   * Takes all tablets from a server, and gives it none, until that is undone.
   *
   * @return how many tablets it still has; 0 when all have left
   */
  int drain(String address, boolean on);

  /** Moves the tablet that holds a row; returns when it is served there. */
  Move move(String table, Bytes row, String address);

  /**
   * The cluster at one moment.
   *
   * @param master its address
   * @param token grows with every master
   * @param unserved tablets that no server has, or whose server is gone
   * @param down addresses of servers that once took part and do not now: they have failed, were
   *     stopped, or have left for good
   */
  record Status(
      String master,
      long token,
      List<ServerStatus> servers,
      int tablets,
      List<String> unserved,
      List<String> down) {}

  /**
   * One tablet server.
   *
   * @param run the name of its directories
   * @param problem why it did not answer; empty if it did
   */
  record ServerStatus(
      String address,
      String run,
      boolean draining,
      int tablets,
      long fileBytes,
      long memoryBytes,
      double readsPerSecond,
      double writesPerSecond,
      String problem) {}

  /** A tablet from one server to another; {@code from} is empty if none had it. */
  record Move(
      String table, Bytes first, Optional<Bytes> last, String from, String to, String reason) {}
}
