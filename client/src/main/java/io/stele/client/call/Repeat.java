package io.stele.client.call;

/** When a call whose answer did not come may be made again. */
public enum Repeat {
  /** Always: it changes nothing. */
  READ,
  /** Always: the server recognizes it, and does it once. */
  ONCE,
  /**
   * As {@link #ONCE}, but no attempt is cut short: a call that waits for its turn would lose its
   * place.
   */
  ONCE_IN_TURN,
  /** Only if it was certainly not carried out. */
  IF_NOT_DONE;

  boolean cutShort() {
    return this == READ || this == ONCE;
  }
}
