/** Rules over the classes of all modules. */
@NullMarked
package io.stele.layers;

import org.jspecify.annotations.NullMarked;
