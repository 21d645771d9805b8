/** {@code stele metastore}: the metastore's operations as commands, over the Java client. */
@NullMarked
package io.stele.cli.metastore;

import org.jspecify.annotations.NullMarked;
