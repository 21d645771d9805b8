/** How a run of the tests is set up: its seeds, its budget, and what it needs of the machine. */
@NullMarked
package io.stele.testkit.run;

import org.jspecify.annotations.NullMarked;
