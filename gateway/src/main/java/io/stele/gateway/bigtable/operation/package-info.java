/** Long-running operations by Google's API: what they came to. */
@NullMarked
package io.stele.gateway.bigtable.operation;

import org.jspecify.annotations.NullMarked;
