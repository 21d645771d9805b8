/**
 * The storage engine: sorted, versioned cells in a commit log, memory and immutable files. {@link
 * io.stele.engine.Store} is the way in.
 */
@NullMarked
package io.stele.engine;

import org.jspecify.annotations.NullMarked;
