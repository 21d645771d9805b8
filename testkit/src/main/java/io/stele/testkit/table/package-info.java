/** Tables for tests: a model in memory, and the suite that every implementation runs through. */
@NullMarked
package io.stele.testkit.table;

import org.jspecify.annotations.NullMarked;
