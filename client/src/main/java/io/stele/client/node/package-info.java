/** Asking servers how they are. */
@NullMarked
package io.stele.client.node;

import org.jspecify.annotations.NullMarked;
