/** Stele servers and clusters of them as processes, and the faults that befall them. */
@NullMarked
package io.stele.it.process;

import org.jspecify.annotations.NullMarked;
