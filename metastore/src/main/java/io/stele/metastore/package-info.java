/** A small, strongly consistent store for metadata and locks. */
@NullMarked
package io.stele.metastore;

import org.jspecify.annotations.NullMarked;
