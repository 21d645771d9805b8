/** How calls of Bigtable's API are answered, and which errors they end with. */
@NullMarked
package io.stele.gateway.bigtable.call;

import org.jspecify.annotations.NullMarked;
