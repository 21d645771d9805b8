/** File stores over Hadoop file systems: the only code that sees Hadoop's classes. */
@NullMarked
package io.stele.hadoop;

import org.jspecify.annotations.NullMarked;
