/**
 * What can be asked of tables: the requests, the answers, and the interfaces that a tablet server
 * offers and a client passes on. Both sides of a wire speak in these, and an embedded store has no
 * wire in between.
 */
@NullMarked
package io.stele.base.table;

import org.jspecify.annotations.NullMarked;
