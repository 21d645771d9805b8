/** Keys of several fields as byte strings whose order is the order of the fields. */
@NullMarked
package io.stele.base.key;

import org.jspecify.annotations.NullMarked;
