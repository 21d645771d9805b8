/** Files of keys and values that others have written, and how kinds of them are found. */
@NullMarked
package io.stele.base.input;

import org.jspecify.annotations.NullMarked;
