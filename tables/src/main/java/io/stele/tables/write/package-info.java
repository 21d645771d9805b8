/**
 * The way of a change: validated, numbered, in memory, in the log, acknowledged, and in time on
 * disk.
 */
@NullMarked
package io.stele.tables.write;

import org.jspecify.annotations.NullMarked;
