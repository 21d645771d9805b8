/**
 * Tablet tables: sorted, strongly consistent tables of cells, split into tablets of which each has
 * one owner. This package is what gateways ask; how it is done is in the packages below.
 */
@NullMarked
package io.stele.tables;

import org.jspecify.annotations.NullMarked;
