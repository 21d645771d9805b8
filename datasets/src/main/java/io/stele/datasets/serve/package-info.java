/** A node of datasets: which shards it has, who has the others, and lookups in all of them. */
@NullMarked
package io.stele.datasets.serve;

import org.jspecify.annotations.NullMarked;
