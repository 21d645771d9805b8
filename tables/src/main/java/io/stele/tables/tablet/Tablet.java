package io.stele.tables.tablet;

/**
 * A tablet's identity on this server, from its load to its unload; what it is at the moment is in
 * its {@link TabletView}. A split leaves the upper half its identity, and makes another for the
 * lower.
 */
public final class Tablet {
  private final String table;
  private volatile long usedNanos;

  public Tablet(String table) {
    this.table = table;
  }

  public String table() {
    return table;
  }

  /** When it was last read, by the monotonic clock. */
  public long usedNanos() {
    return usedNanos;
  }

  public void use(long nanos) {
    usedNanos = nanos;
  }
}
