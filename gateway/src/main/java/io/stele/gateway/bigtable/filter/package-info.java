/** Bigtable's row filters: what of them a read takes over, and the rest over a row's cells. */
@NullMarked
package io.stele.gateway.bigtable.filter;

import org.jspecify.annotations.NullMarked;
