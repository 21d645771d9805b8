package io.stele.bench.driver;

/**
 * One thing that a client does.
 *
 * @param record the number of the record that it is about, or that a scan starts at
 * @param field that an update changes; 0 for others
 * @param rows that a scan wants; 0 for others
 */
record Operation(Kind kind, long record, int field, int rows) {
  /** What is done. */
  enum Kind {
    READ,
    UPDATE,
    INSERT,
    SCAN,
    READ_MODIFY_WRITE
  }
}
