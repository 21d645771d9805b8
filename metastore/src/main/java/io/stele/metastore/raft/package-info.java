/** The replicated log under the metastore: one narrow interface, and what is behind it. */
@NullMarked
package io.stele.metastore.raft;

import org.jspecify.annotations.NullMarked;
