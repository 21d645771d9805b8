/**
 * {@code stele bench engine}: the storage engine beside RocksDB. A case asks both sides for the
 * same work through {@link io.stele.bench.engine.EngineSide} and knows neither of them.
 */
@NullMarked
package io.stele.bench.engine;

import org.jspecify.annotations.NullMarked;
