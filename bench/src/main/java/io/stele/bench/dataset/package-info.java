/**
 * {@code stele bench dataset}: lookups and loads of datasets, beside the library underneath, a
 * constant answer and a copy.
 */
@NullMarked
package io.stele.bench.dataset;

import org.jspecify.annotations.NullMarked;
