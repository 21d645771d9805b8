/** What is said about datasets on both sides of a wire: lookups, versions and their state. */
@NullMarked
package io.stele.base.dataset;

import org.jspecify.annotations.NullMarked;
