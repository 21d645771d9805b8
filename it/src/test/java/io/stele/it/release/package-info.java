/** A release as its users meet it: archives, unpacked where there is no source and no Maven. */
@NullMarked
package io.stele.it.release;

import org.jspecify.annotations.NullMarked;
