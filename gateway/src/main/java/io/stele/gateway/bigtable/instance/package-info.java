/** Instances, clusters and app profiles, of which Stele has none of its own. */
@NullMarked
package io.stele.gateway.bigtable.instance;

import org.jspecify.annotations.NullMarked;
