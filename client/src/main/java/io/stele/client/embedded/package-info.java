/** How an application gets a store of its own, in its own process. */
@NullMarked
package io.stele.client.embedded;

import org.jspecify.annotations.NullMarked;
