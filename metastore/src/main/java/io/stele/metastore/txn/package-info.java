/** Interactive transactions: what the leader remembers of them while they last. */
@NullMarked
package io.stele.metastore.txn;

import org.jspecify.annotations.NullMarked;
