package io.stele.replicas.push;

import io.stele.base.cell.CellBatch;
import io.stele.replicas.metadata.Assignment;
import java.util.List;
import java.util.Optional;

/**
 * Changes on their way from one replica to another.
 *
 * @param table the table's id
 * @param partition the one of the receiver: of the sender's too, or a half of it, or one that took
 *     over its rows
 * @param to the receiver's assignment; any other refuses
 * @param from the sender's
 * @param metadata the sequence of the METADATA by which the sender knows the receiver
 * @param upTo the sender's newest change among these, and those that it sent before, has at most
 *     this sequence
 * @param catchUp whether the receiver may have much of it already, and should look before it writes
 * @param confirmed how far others have confirmed the sender's changes: what they have, the receiver
 *     need not send them
 * @param clock the sender's time, by its {@link HybridClock}
 */
public record Push(
    String table,
    String partition,
    Assignment to,
    Assignment from,
    long metadata,
    long upTo,
    boolean catchUp,
    List<CellBatch> batches,
    List<Confirmed> confirmed,
    long clock) {

  /**
   * How far an assignment is with the changes of the sender.
   *
   * @param sequence it has all up to this one
   * @param own it has all up to this one of those that began at the sender; others may still be on
   *     their way to it from elsewhere
   */
  public record Confirmed(String assignment, long sequence, long own) {}

  /**
   * What the receiver says when all is durable there.
   *
   * @param metadata the sequence of the METADATA that it knows: a sender that knows an older one
   *     must look before it counts this as an acknowledgement
   * @param clock its time, by its {@link HybridClock}
   * @param store the name of the store that has it: to one that has another name than before,
   *     everything is sent again
   */
  public record Answer(long metadata, long clock, String store) {}

  /**
   * How far a replica is, for who wants to finalize something.
   *
   * @param metadata the sequence of the METADATA that it knows
   * @param sequence of its newest change
   * @param confirmed how far others have confirmed
   * @param bytes in files and memory
   * @param source what it began with; none if that was nothing
   * @param filling whether it was lost, and has still to be sent what it had
   * @param store the name of the store that this is true of
   * @param scrubbed when it was last compared with all others, in microseconds; 0 if never
   */
  public record Progress(
      Assignment assignment,
      long metadata,
      long sequence,
      List<Confirmed> confirmed,
      long bytes,
      Optional<Source> source,
      boolean filling,
      String store,
      long scrubbed) {}

  /**
   * The replica on the same server of which a half of a split takes over the cells.
   *
   * @param done whether it has them
   */
  public record Source(String partition, String assignment, boolean done) {}
}
