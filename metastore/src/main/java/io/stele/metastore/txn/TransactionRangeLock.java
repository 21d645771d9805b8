package io.stele.metastore.txn;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * What the leader knows of a range of keys that open transactions touch. Owned by {@link
 * RangeLocks}.
 *
 * <p>Invariant: {@code refCount >= 1}; a lock that nobody refers to is deleted.
 */
final class TransactionRangeLock {
  private KeyRange range;
  private int refCount;
  private @Nullable TransactionEntry writer;
  private long recentWriteIndex;

  TransactionRangeLock(KeyRange range) {
    this.range = range;
  }

  KeyRange range() {
    return range;
  }

  /** How many transactions refer to the range. */
  int refCount() {
    return refCount;
  }

  /** Whether a transaction is about to write here: nobody else may until it has ended. */
  boolean writeLock() {
    return writer != null;
  }

  @Nullable TransactionEntry writer() {
    return writer;
  }

  /** The newest revision that changed a key here since the lock exists; 0 for none. */
  long recentWriteIndex() {
    return recentWriteIndex;
  }

  void hold() {
    refCount++;
  }

  /** Returns whether anybody still refers to it. */
  boolean free() {
    refCount--;
    return refCount > 0;
  }

  void lockForWriting(TransactionEntry transaction) {
    writer = transaction;
  }

  void unlockForWriting() {
    writer = null;
  }

  void wrote(long revision) {
    recentWriteIndex = Math.max(recentWriteIndex, revision);
  }

  /** Cuts the lock in two: this one keeps the lower part, the answer is the upper one. */
  TransactionRangeLock splitAt(Bytes key) {
    TransactionRangeLock upper = new TransactionRangeLock(new KeyRange(key, range.to()));
    upper.refCount = refCount;
    upper.writer = writer;
    upper.recentWriteIndex = recentWriteIndex;
    range = new KeyRange(range.from(), key);
    return upper;
  }
}
