/** A member at work: brings log, state, transactions, watches and the leader's duties together. */
@NullMarked
package io.stele.metastore.node;

import org.jspecify.annotations.NullMarked;
