/** The file-store interface that everything durable is written through. */
@NullMarked
package io.stele.base.file;

import org.jspecify.annotations.NullMarked;
