/**
 * The metastore as its users meet it: servers as processes, in networks of their own where that is
 * possible, that are killed, paused, cut off and replaced while clients work, and what the clients
 * saw held against the checkers of {@code io.stele.testkit.history}.
 */
@NullMarked
package io.stele.it.metastore;

import org.jspecify.annotations.NullMarked;
