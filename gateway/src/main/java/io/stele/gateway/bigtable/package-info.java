/**
 * Bigtable's API over Stele's tables: data, tables, instances and operations, each in a package of
 * its own.
 */
@NullMarked
package io.stele.gateway.bigtable;

import org.jspecify.annotations.NullMarked;
