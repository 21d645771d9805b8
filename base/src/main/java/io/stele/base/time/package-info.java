/** Time and chance, handed in from outside so that tests can drive them. */
@NullMarked
package io.stele.base.time;

import org.jspecify.annotations.NullMarked;
