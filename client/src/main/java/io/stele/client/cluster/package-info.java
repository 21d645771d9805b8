/** A cluster of tablet servers as a whole, over the network. */
@NullMarked
package io.stele.client.cluster;

import org.jspecify.annotations.NullMarked;
