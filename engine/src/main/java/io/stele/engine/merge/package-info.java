/** Many fragments read as one: merging, erasures, read transactions, predicates, purging. */
@NullMarked
package io.stele.engine.merge;

import org.jspecify.annotations.NullMarked;
