/** The metrics of a node: their names, where their values come from, and how they are shown. */
@NullMarked
package io.stele.server.metrics;

import org.jspecify.annotations.NullMarked;
