package io.stele.replicas.metadata;

/** Which METADATA file: of a table, by its id, and a transaction. */
record FileKey(String table, String txn) {
  @Override
  public String toString() {
    return "METADATA " + txn + " of table " + table;
  }
}
