/** Versions of datasets: where they come from, how they are loaded, and what is on disk of them. */
@NullMarked
package io.stele.datasets.version;

import org.jspecify.annotations.NullMarked;
