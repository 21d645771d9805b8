/** Leases: times after which keys end unless somebody renews them. */
@NullMarked
package io.stele.metastore.lease;

import org.jspecify.annotations.NullMarked;
