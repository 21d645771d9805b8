package io.stele.client.table;

/**
 * What a client has committed and not seen to be durable. Only the server that committed it can
 * make it so: after a crash, the next one counts transactions anew from those that were left, and
 * would call durable what is lost.
 */
final class Unsynced {
  private long incarnation; // guarded by this; 0 if there is nothing
  private long newest; // guarded by this; the newest transaction of that incarnation

  synchronized void add(long txn, long server) {
    if (incarnation == 0) {
      incarnation = server;
      newest = txn;
    } else if (incarnation == server) {
      newest = Math.max(newest, txn);
    }
    // Else something was lost with the server before; that is told first.
  }

  /** The server that must be asked to sync; 0 for any. */
  synchronized long incarnation() {
    return incarnation;
  }

  synchronized void durable(long txn, long server) {
    if (incarnation == server && txn >= newest) {
      incarnation = 0;
    }
  }

  synchronized void lost(long server) {
    if (incarnation == server) {
      incarnation = 0;
    }
  }
}
