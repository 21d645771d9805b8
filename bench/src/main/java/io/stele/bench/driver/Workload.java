package io.stele.bench.driver;

/** YCSB's core workloads: the mix of operations, in percent, and which records are popular. */
public enum Workload {
  A("half reads, half updates", 50, 50, 0, 0, 0, false),
  B("95 % reads, 5 % updates", 95, 5, 0, 0, 0, false),
  C("reads only", 100, 0, 0, 0, 0, false),
  D("95 % reads of the newest records, 5 % inserts", 95, 0, 5, 0, 0, true),
  E("95 % scans of 1 to 100 rows, 5 % inserts", 0, 0, 5, 95, 0, false),
  F("half reads, half read-modify-writes", 50, 0, 0, 0, 50, false);

  private final String about;
  private final int reads;
  private final int updates;
  private final int inserts;
  private final int scans;
  private final boolean newestFirst;

  Workload(
      String about,
      int reads,
      int updates,
      int inserts,
      int scans,
      int readModifyWrites,
      boolean newestFirst) {
    if (reads + updates + inserts + scans + readModifyWrites != 100) {
      throw new IllegalArgumentException("the mix of " + about + " is not 100 %");
    }
    this.about = about;
    this.reads = reads;
    this.updates = updates;
    this.inserts = inserts;
    this.scans = scans;
    this.newestFirst = newestFirst;
  }

  public String about() {
    return about;
  }

  /** Whether the newest records are the popular ones; else they are spread over the table. */
  boolean newestFirst() {
    return newestFirst;
  }

  /** The kind of operation that a throw of 0 to 99 stands for. */
  Operation.Kind kind(int dice) {
    int rest = dice;
    if (rest < reads) {
      return Operation.Kind.READ;
    }
    rest -= reads;
    if (rest < updates) {
      return Operation.Kind.UPDATE;
    }
    rest -= updates;
    if (rest < inserts) {
      return Operation.Kind.INSERT;
    }
    rest -= inserts;
    return rest < scans ? Operation.Kind.SCAN : Operation.Kind.READ_MODIFY_WRITE;
  }
}
