/** Datasets on nodes that are processes of their own, while versions come and nodes fail. */
@NullMarked
package io.stele.it.datasets;

import org.jspecify.annotations.NullMarked;
