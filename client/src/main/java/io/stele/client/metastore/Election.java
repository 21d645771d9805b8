package io.stele.client.metastore;

import io.stele.base.error.FencedException;
import java.time.Duration;
import java.util.Optional;

/**
 * An election: whoever holds the lock of a key leads, and says so in the key's value, which ends
 * with its session.
 *
 * <pre>{@code
 * try (Leadership lead = session.election("/services/master").campaign("host-1", wait)) {
 *   while (lead.isLeader()) { ... }
 * }
 * }</pre>
 *
 * <p>To follow who leads, watch the key: {@code metastore.watch(Keys.of("/services/master"))}, or
 * {@link MetastoreClient#observe}.
 */
public final class Election {
  private final Session session;
  private final String key;

  Election(Session session, String key) {
    this.session = session;
    this.key = key;
  }

  /** Waits in line to lead, and proclaims the value. */
  public Leadership campaign(String value, Duration wait) {
    HeldLock lock = session.lock(key).exclusive().acquire(wait);
    Leadership lead = new Leadership(session, lock);
    try {
      lead.proclaim(value);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
    return lead;
  }

  /** Leads if nobody else does. */
  public Optional<Leadership> tryCampaign(String value) {
    Optional<HeldLock> lock = session.lock(key).exclusive().tryAcquire();
    if (lock.isEmpty()) {
      return Optional.empty();
    }
    Leadership lead = new Leadership(session, lock.get());
    lead.proclaim(value);
    return Optional.of(lead);
  }

  /** The lead in an election that was won. */
  public static final class Leadership implements AutoCloseable {
    private final Session session;
    private final HeldLock lock;

    Leadership(Session session, HeldLock lock) {
      this.session = session;
      this.lock = lock;
    }

    /** Grows with every leader: for whoever must tell an old one's orders from a new one's. */
    public long token() {
      return lock.token();
    }

    /** The lock behind it, to guard transactions with. */
    public HeldLock lock() {
      return lock;
    }

    /** Whether it certainly leads at this moment. */
    public boolean isLeader() {
      return lock.isHeld();
    }

    /** Changes the value that says who leads; fails with {@link FencedException} if others do. */
    public void proclaim(String value) {
      TransactionResult result =
          session
              .transaction()
              .whenHeld(lock)
              .then(Step.put(lock.key(), value).owned(session))
              .commit();
      if (!result.succeeded()) {
        throw new FencedException(
            "lead of " + lock.key() + " under token " + lock.token() + ": was lost");
      }
    }

    /** Steps down: the key is gone, and the next in line leads. */
    public void resign() {
      if (lock.isHeld()) {
        session.transaction().whenHeld(lock).then(Step.delete(lock.key())).commit();
        lock.release();
      }
    }

    /** As {@link #resign}; no error if the lead went with the session. */
    @Override
    public void close() {
      resign();
    }
  }
}
