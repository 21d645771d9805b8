/** The Java client of Stele: begins with {@link io.stele.client.Stele}. */
@NullMarked
package io.stele.client;

import org.jspecify.annotations.NullMarked;
