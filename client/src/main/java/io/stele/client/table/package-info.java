/** Tables, for applications: rows are read and changed in one call each, or many at a time. */
@NullMarked
package io.stele.client.table;

import org.jspecify.annotations.NullMarked;
