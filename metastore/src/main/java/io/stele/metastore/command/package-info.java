/** What the log of the metastore says, and what it answers. */
@NullMarked
package io.stele.metastore.command;

import org.jspecify.annotations.NullMarked;
