/** Which servers get partitions, and what becomes of those of dead servers. */
@NullMarked
package io.stele.replicas.placement;

import org.jspecify.annotations.NullMarked;
