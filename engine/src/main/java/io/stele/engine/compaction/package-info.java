/** Which adjacent fragments to merge (a pure policy), and the job that does it. */
@NullMarked
package io.stele.engine.compaction;

import org.jspecify.annotations.NullMarked;
