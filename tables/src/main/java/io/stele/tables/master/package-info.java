/**
 * The master of a cluster: which server has which tablet, and which files nobody needs. What it
 * asks of servers, and of the sessions that tell who lives, are interfaces.
 */
@NullMarked
package io.stele.tables.master;

import org.jspecify.annotations.NullMarked;
