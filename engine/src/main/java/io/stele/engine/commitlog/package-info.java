/** The commit log: group commit by one thread, and replay after a crash. */
@NullMarked
package io.stele.engine.commitlog;

import org.jspecify.annotations.NullMarked;
