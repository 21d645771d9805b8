package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.table.Consistency.Acks;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A change whose caller waits until enough replicas have it.
 *
 * <p>What is enough is asked of METADATA that is not older than what any of those knows that have
 * it: somebody who knows of a split, or that the partition is gone, must not be counted by one who
 * does not. While a partition is split, its halves must have the change as well, as from one moment
 * to the next they may take its place; while a server joins, so must a majority of those that will
 * be the members then.
 */
final class WaitingWrite {
  private final Acks acks;
  private final Bytes firstRow;
  private final Bytes lastRow;
  private final long deadline;
  private final CompletableFuture<Long> answer = new CompletableFuture<>();

  // Guarded by this.
  private final List<String> holders = new ArrayList<>(4);
  private boolean durableHere; // or who reads here what was acknowledged might not find it
  private long knownElsewhere; // the newest METADATA that one of them knows

  private volatile long sequence; // 0 until it has one

  WaitingWrite(Acks acks, Bytes firstRow, Bytes lastRow, long deadline) {
    this.acks = acks;
    this.firstRow = firstRow;
    this.lastRow = lastRow;
    this.deadline = deadline;
  }

  CompletableFuture<Long> answer() {
    return answer;
  }

  boolean isDone() {
    return answer.isDone();
  }

  long sequence() {
    return sequence;
  }

  void sequence(long value) {
    sequence = value;
  }

  /** The replica at which it began has it durably: until then nothing is enough. */
  void durableHere(String assignment, Metadata metadata) {
    synchronized (this) {
      durableHere = true;
    }
    heldBy(assignment, metadata.sequence(), metadata);
  }

  /** An assignment has it durably, and knows METADATA up to a sequence. */
  void heldBy(String assignment, long known, Metadata metadata) {
    boolean enough;
    synchronized (this) {
      if (!holders.contains(assignment)) {
        holders.add(assignment);
      }
      knownElsewhere = Math.max(knownElsewhere, known);
      enough = isEnough(metadata);
    }
    if (enough) {
      answer.complete(sequence);
    }
  }

  /** METADATA has changed. */
  void look(Metadata metadata) {
    boolean enough;
    synchronized (this) {
      enough = isEnough(metadata);
    }
    if (enough) {
      answer.complete(sequence);
    }
  }

  private boolean isEnough(Metadata metadata) {
    if (!durableHere || metadata.sequence() < knownElsewhere) {
      return false;
    }
    for (Partition partition : metadata.partitions()) {
      if (partition.last().isPresent() && partition.last().get().compareTo(firstRow) < 0) {
        continue;
      }
      if (partition.first().compareTo(lastRow) >= 0) {
        break;
      }
      for (List<Assignment> set : needed(partition)) {
        if (holdersAmong(set) < acks.of(set.size())) {
          return false;
        }
      }
      if (partition.split().isPresent() && acks != Acks.ONE) {
        Partition.Split split = partition.split().get();
        boolean lower = firstRow.compareTo(split.at()) <= 0;
        boolean upper = lastRow.compareTo(split.at()) > 0;
        if ((lower && lacks(split.lower())) || (upper && lacks(split.upper()))) {
          return false;
        }
      }
    }
    return true;
  }

  private List<List<Assignment>> needed(Partition partition) {
    return acks == Acks.ONE ? List.of(partition.members()) : partition.quorums();
  }

  private boolean lacks(Partition.Half half) {
    return holdersAmong(half.members()) < acks.of(half.members().size());
  }

  private int holdersAmong(List<Assignment> members) {
    int count = 0;
    for (int i = 0; i < members.size(); i++) {
      if (holders.contains(members.get(i).id())) {
        count++;
      }
    }
    return count;
  }

  void fail(Throwable cause) {
    answer.completeExceptionally(cause);
  }

  /** Ends the wait if it is over; false if it is not. */
  boolean expire(long now, Metadata metadata) {
    if (answer.isDone()) {
      return true;
    }
    if (now - deadline < 0) {
      return false;
    }
    Partition partition = metadata.partitionOf(firstRow);
    int stored;
    synchronized (this) {
      stored = holdersAmong(partition.members());
    }
    answer.completeExceptionally(
        new OutcomeUnknownException(
            "a change of row \""
                + firstRow
                + "\" is stored on "
                + stored
                + " of "
                + partition.members().size()
                + " replicas, "
                + acks
                + " was asked for: it will reach the others when they can be reached"));
    return true;
  }
}
