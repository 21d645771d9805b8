/** The block cache that all open fragments of a process share. */
@NullMarked
package io.stele.engine.cache;

import org.jspecify.annotations.NullMarked;
