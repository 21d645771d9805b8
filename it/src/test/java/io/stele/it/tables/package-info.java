/** Tables of real processes, some of which are killed. */
@NullMarked
package io.stele.it.tables;

import org.jspecify.annotations.NullMarked;
