/** The place that holds a cluster's files: which cluster it belongs to. */
@NullMarked
package io.stele.tables.files;

import org.jspecify.annotations.NullMarked;
