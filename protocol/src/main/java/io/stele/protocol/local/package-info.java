/** The native protocol between a client and a server of one process. */
@NullMarked
package io.stele.protocol.local;

import org.jspecify.annotations.NullMarked;
