package io.stele.tables.tablet;

import java.util.Locale;

/**
 * The life of a tablet on a server, and what may be asked of it meanwhile.
 *
 * <pre>
 *            0 unknown ─► 1 ─► 2 ─► 3 ─► 4 ─► 5 active ─► 6 ─► 7 ─► 0
 *   reads    refused      deferred ────────►  served ───────►  refused
 *   writes   refused      deferred ──►  served ────►  refused
 * </pre>
 */
public enum TabletState {
  /** Not here: a request for it is an error. */
  UNKNOWN(0, Access.REFUSED, Access.REFUSED),
  /** Its configuration is being read. */
  CONFIG_LOADING(1, Access.DEFERRED, Access.DEFERRED),
  /** The log of the server that had it is being replayed. */
  LOG_REPLAYING(2, Access.DEFERRED, Access.DEFERRED),
  /** Its configuration is being saved, with this server's location and log. */
  CONFIG_SAVING(3, Access.DEFERRED, Access.DEFERRED),
  /** Writes go to this server's log; its files are being opened. */
  FRAGMENTS_LOADING(4, Access.DEFERRED, Access.SERVED),
  ACTIVE(5, Access.SERVED, Access.SERVED),
  /** On its way out: what is in memory is being written to disk. */
  READ_ONLY(6, Access.SERVED, Access.REFUSED),
  /** All is on disk; its last configuration is being saved. */
  DISABLED(7, Access.REFUSED, Access.REFUSED);

  /** What becomes of a request. */
  public enum Access {
    SERVED,
    /** It waits for the next state, for a while. */
    DEFERRED,
    REFUSED
  }

  private final int number;
  private final Access reads;
  private final Access writes;

  TabletState(int number, Access reads, Access writes) {
    this.number = number;
    this.reads = reads;
    this.writes = writes;
  }

  public Access reads() {
    return reads;
  }

  public Access writes() {
    return writes;
  }

  /** A tablet that cannot be written to disk goes back, from 6 to 5; one whose load fails goes. */
  public boolean mayBecome(TabletState next) {
    return next.number == number + 1 || (this == READ_ONLY && next == ACTIVE);
  }

  /**
   * Does a flush write what it has in memory? One that comes has no rows, one that goes has none
   * there.
   */
  public boolean isFlushed() {
    return this == FRAGMENTS_LOADING || this == ACTIVE || this == READ_ONLY;
  }

  /** 0 to 7, in the order of a tablet's life. */
  public int number() {
    return number;
  }

  /** The name as people write it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
