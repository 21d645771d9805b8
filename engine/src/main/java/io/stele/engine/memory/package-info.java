/** Mem fragments: sorted cells in memory, one writer, any number of readers. */
@NullMarked
package io.stele.engine.memory;

import org.jspecify.annotations.NullMarked;
