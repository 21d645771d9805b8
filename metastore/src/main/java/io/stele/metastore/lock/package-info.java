/** The rules of locks: who holds, who waits, who comes next. */
@NullMarked
package io.stele.metastore.lock;

import org.jspecify.annotations.NullMarked;
