/**
 * What is asked of a cluster while its servers die and its tablets move, whatever store it is.
 * Compiled for Java 17 too, for the client of a peer.
 */
@NullMarked
package io.stele.bench.cluster.probe;

import org.jspecify.annotations.NullMarked;
