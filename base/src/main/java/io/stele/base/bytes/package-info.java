/** Byte strings in unsigned order, and the small codecs that every format is built from. */
@NullMarked
package io.stele.base.bytes;

import org.jspecify.annotations.NullMarked;
