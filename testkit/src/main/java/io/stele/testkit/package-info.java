/** Fakes and drivers for tests: what they cannot wait for, they move by hand. */
@NullMarked
package io.stele.testkit;

import org.jspecify.annotations.NullMarked;
