/** Calls to a group of servers: which one, how often, until when. Not for applications. */
@NullMarked
package io.stele.client.call;

import org.jspecify.annotations.NullMarked;
