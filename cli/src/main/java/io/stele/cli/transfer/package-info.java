/** Many rows at a time: {@code stele load} and {@code stele export}, and the formats of files. */
@NullMarked
package io.stele.cli.transfer;

import org.jspecify.annotations.NullMarked;
