/** gRPC's health protocol, for load balancers and probes. */
@NullMarked
package io.stele.gateway.health;

import org.jspecify.annotations.NullMarked;
