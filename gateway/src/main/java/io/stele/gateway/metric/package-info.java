/** What gateways count of the requests that they answer. */
@NullMarked
package io.stele.gateway.metric;

import org.jspecify.annotations.NullMarked;
