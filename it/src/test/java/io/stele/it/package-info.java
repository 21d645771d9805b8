/** Tests of Stele as a whole: its programs as processes. */
@NullMarked
package io.stele.it;

import org.jspecify.annotations.NullMarked;
