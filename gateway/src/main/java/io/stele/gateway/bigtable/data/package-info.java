/** Bigtable's data service. */
@NullMarked
package io.stele.gateway.bigtable.data;

import org.jspecify.annotations.NullMarked;
