/** Clusters of tablet servers, each server a process of its own, and what befalls them. */
@NullMarked
package io.stele.it.cluster;

import org.jspecify.annotations.NullMarked;
