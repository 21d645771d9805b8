/** Datasets of servers, over the network, and as tables that can only be read. */
@NullMarked
package io.stele.client.dataset;

import org.jspecify.annotations.NullMarked;
