/** The replicated state: what the log's commands are applied to, and what reads see. */
@NullMarked
package io.stele.metastore.state;

import org.jspecify.annotations.NullMarked;
