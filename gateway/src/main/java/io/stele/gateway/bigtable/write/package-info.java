/** Changes of rows: mutations, those that depend on what a row holds, and aggregates. */
@NullMarked
package io.stele.gateway.bigtable.write;

import org.jspecify.annotations.NullMarked;
