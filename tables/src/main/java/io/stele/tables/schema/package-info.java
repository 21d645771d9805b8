/**
 * What a schema means for a running table: which group a family belongs to, what a change of schema
 * changes, and which files make up the chains of the groups afterwards.
 */
@NullMarked
package io.stele.tables.schema;

import org.jspecify.annotations.NullMarked;
