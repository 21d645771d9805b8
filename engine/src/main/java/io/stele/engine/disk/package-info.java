/** Disk fragments: the file format, its writer and its reader. */
@NullMarked
package io.stele.engine.disk;

import org.jspecify.annotations.NullMarked;
