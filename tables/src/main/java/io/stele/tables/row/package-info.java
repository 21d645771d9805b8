/** Operations on one row that read before they write. */
@NullMarked
package io.stele.tables.row;

import org.jspecify.annotations.NullMarked;
