/**
 * The server: which parts of Stele a process runs, their settings, and the one place that wires
 * them together.
 */
@NullMarked
package io.stele.server;

import org.jspecify.annotations.NullMarked;
