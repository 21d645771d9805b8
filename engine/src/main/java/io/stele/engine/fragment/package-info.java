/** What a chain consists of: sorted, immutable runs of cells, and how they are walked. */
@NullMarked
package io.stele.engine.fragment;

import org.jspecify.annotations.NullMarked;
