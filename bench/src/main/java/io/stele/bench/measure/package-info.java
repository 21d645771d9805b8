/** Timing: phases on one or more threads, runs that take turns, and what others did meanwhile. */
@NullMarked
package io.stele.bench.measure;

import org.jspecify.annotations.NullMarked;
