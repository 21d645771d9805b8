/** Bigtable's clients, as others use them, and servers that are processes. */
@NullMarked
package io.stele.it.bigtable;

import org.jspecify.annotations.NullMarked;
