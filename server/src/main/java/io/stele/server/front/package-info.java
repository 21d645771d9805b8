/**
 * The tables of a server as clients see them: tablet tables and replicated tables under one set of
 * names.
 */
@NullMarked
package io.stele.server.front;

import org.jspecify.annotations.NullMarked;
