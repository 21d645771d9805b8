/** The log of a server: where its lines go and what they look like. */
@NullMarked
package io.stele.server.log;

import org.jspecify.annotations.NullMarked;
