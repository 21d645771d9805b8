/** The one exception family: each kind says what the caller may do now. */
@NullMarked
package io.stele.base.error;

import org.jspecify.annotations.NullMarked;
