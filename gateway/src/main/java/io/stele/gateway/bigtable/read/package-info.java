/** Reading rows, as Bigtable's clients ask for them and are answered. */
@NullMarked
package io.stele.gateway.bigtable.read;

import org.jspecify.annotations.NullMarked;
