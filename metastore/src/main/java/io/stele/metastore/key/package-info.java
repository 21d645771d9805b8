/** Keys of the metastore: paths, and ranges of them. */
@NullMarked
package io.stele.metastore.key;

import org.jspecify.annotations.NullMarked;
