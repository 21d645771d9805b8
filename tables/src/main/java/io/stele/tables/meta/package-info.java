/** META: where the configuration of every tablet is kept, and how it is read, checked and saved. */
@NullMarked
package io.stele.tables.meta;

import org.jspecify.annotations.NullMarked;
