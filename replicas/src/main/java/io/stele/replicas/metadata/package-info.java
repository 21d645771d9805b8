/** METADATA files: which servers have which partitions of a table, and how that changes. */
@NullMarked
package io.stele.replicas.metadata;

import org.jspecify.annotations.NullMarked;
