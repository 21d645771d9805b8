/** etcd's leases. */
@NullMarked
package io.stele.gateway.etcd.lease;

import org.jspecify.annotations.NullMarked;
