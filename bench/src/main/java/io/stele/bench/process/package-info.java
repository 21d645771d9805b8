/** Servers and clients as processes of their own. */
@NullMarked
package io.stele.bench.process;

import org.jspecify.annotations.NullMarked;
