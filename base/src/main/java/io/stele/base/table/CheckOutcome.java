package io.stele.base.table;

/**
 * Whether a condition was met.
 *
 * @param txn the transaction that committed the change; 0 if there was none to commit
 */
public record CheckOutcome(boolean met, long txn) {}
