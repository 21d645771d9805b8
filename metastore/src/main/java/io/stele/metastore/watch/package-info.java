/** Changes of keys, told in the order of their revisions. */
@NullMarked
package io.stele.metastore.watch;

import org.jspecify.annotations.NullMarked;
