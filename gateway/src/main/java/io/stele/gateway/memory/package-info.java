/** How much memory requests may take that are on their way into the server. */
@NullMarked
package io.stele.gateway.memory;

import org.jspecify.annotations.NullMarked;
