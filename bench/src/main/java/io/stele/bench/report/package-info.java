/** What a benchmark found, as a table and as JSON, and the machine it was found on. */
@NullMarked
package io.stele.bench.report;

import org.jspecify.annotations.NullMarked;
