/**
 * The place that holds a cluster's files: which cluster it belongs to, when files may go, and the
 * trash that they go to.
 */
@NullMarked
package io.stele.tables.files;

import org.jspecify.annotations.NullMarked;
