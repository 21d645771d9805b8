/** Upkeep of tablets: merging files, splitting what is large and joining what is small. */
@NullMarked
package io.stele.tables.compact;

import org.jspecify.annotations.NullMarked;
