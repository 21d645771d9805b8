/** Replicas of tables, over the network. */
@NullMarked
package io.stele.client.replica;

import org.jspecify.annotations.NullMarked;
