/** What a server tells of itself, whatever it serves. */
@NullMarked
package io.stele.base.node;

import org.jspecify.annotations.NullMarked;
