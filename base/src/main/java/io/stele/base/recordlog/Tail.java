package io.stele.base.recordlog;

/** How a record log ended. */
public sealed interface Tail {
  /** Where the next record would have started. */
  long offset();

  /** Behind the last record there is nothing, or only zeros of preallocated space. */
  record Clean(long offset) implements Tail {}

  /**
   * A write was cut off here by a crash: what follows was never durable as a whole and counts for
   * nothing.
   */
  record Torn(long offset, String reason) implements Tail {}
}
