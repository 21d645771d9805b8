/** Text for people. */
@NullMarked
package io.stele.base.text;

import org.jspecify.annotations.NullMarked;
