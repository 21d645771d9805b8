/**
 * The transactions of a server: their numbers, how far they have come, and which are being read.
 */
@NullMarked
package io.stele.tables.txn;

import org.jspecify.annotations.NullMarked;
