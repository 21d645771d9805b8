/** Tests whose cases and expected answers stand in text files. */
@NullMarked
package io.stele.testkit.golden;

import org.jspecify.annotations.NullMarked;
