/** {@code stele bench}: Stele measured beside its peers, in one run on one machine. */
@NullMarked
package io.stele.bench;

import org.jspecify.annotations.NullMarked;
