/**
 * Clusters beside HBase's: how long tables are away when a server dies, moves, the master's
 * take-over, and many tablets. {@code stele bench recovery} and {@code stele bench scale}.
 */
@NullMarked
package io.stele.bench.cluster;

import org.jspecify.annotations.NullMarked;
