/** Rules of Bigtable's by which old versions go, as purge policies. */
@NullMarked
package io.stele.gateway.bigtable.gc;

import org.jspecify.annotations.NullMarked;
