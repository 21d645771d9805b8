/** The replica of a partition that a server has: its cells, and what changed since when. */
@NullMarked
package io.stele.replicas.partition;

import org.jspecify.annotations.NullMarked;
