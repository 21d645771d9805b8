package io.stele.testkit.history;

/**
 * A time in which a client believed to hold a lock.
 *
 * @param lock its key
 * @param client the holder; one that acquires again what it holds is still in the first hold
 * @param exclusive false if shared
 * @param token the fencing token of the grant
 * @param from when the grant was answered
 * @param until when the release was invoked, or the client's session ended by its own clock; {@link
 *     Long#MAX_VALUE} if neither has happened
 */
public record Hold(
    String lock, String client, boolean exclusive, long token, long from, long until) {
  public Hold {
    if (until < from) {
      throw new IllegalArgumentException(
          client + " gave " + lock + " back at " + until + ", before it was granted at " + from);
    }
  }

  @Override
  public String toString() {
    return client
        + " ("
        + (exclusive ? "exclusive" : "shared")
        + ", token "
        + token
        + ", from "
        + from
        + (until == Long.MAX_VALUE ? " on" : " to " + until)
        + ")";
  }
}
