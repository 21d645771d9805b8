/** Which cells a reader wants: the predicate, its parts, and its text form. */
@NullMarked
package io.stele.base.predicate;

import org.jspecify.annotations.NullMarked;
