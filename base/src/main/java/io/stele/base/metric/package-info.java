/**
 * What components count while they work. Counting takes no lock and allocates nothing; the numbers
 * are read when somebody asks for metrics.
 */
@NullMarked
package io.stele.base.metric;

import org.jspecify.annotations.NullMarked;
