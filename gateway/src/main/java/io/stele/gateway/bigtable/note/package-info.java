/** What Bigtable's API keeps of tables and is not in their schemas, in a table of its own. */
@NullMarked
package io.stele.gateway.bigtable.note;

import org.jspecify.annotations.NullMarked;
