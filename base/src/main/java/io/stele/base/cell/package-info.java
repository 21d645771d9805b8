/** Cells: their kinds, their one order, and the packed form in which they travel and are logged. */
@NullMarked
package io.stele.base.cell;

import org.jspecify.annotations.NullMarked;
