package io.stele.server.cluster;

import io.stele.client.metastore.Session;
import io.stele.tables.txn.Lease;

/**
 * A server's right to answer lasts as long as its session does by its own clock, which is never
 * longer than the metastore waits: that counts from when a renewal came, the session from when it
 * was sent.
 */
record SessionLease(Session session) implements Lease {
  @Override
  public boolean isHeld() {
    return session.isAlive();
  }
}
