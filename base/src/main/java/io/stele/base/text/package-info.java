/** Text for people and for programs. */
@NullMarked
package io.stele.base.text;

import org.jspecify.annotations.NullMarked;
