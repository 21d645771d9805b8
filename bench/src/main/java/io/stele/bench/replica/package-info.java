/**
 * {@code stele bench replica}: what acknowledgements of replicas cost, and how long replicas take
 * to come together, to part and to be replaced, beside a tablet table and RocksDB.
 */
@NullMarked
package io.stele.bench.replica;

import org.jspecify.annotations.NullMarked;
