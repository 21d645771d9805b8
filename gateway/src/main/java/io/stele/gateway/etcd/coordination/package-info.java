/** etcd's locks and elections, which are keys and leases put to use. */
@NullMarked
package io.stele.gateway.etcd.coordination;

import org.jspecify.annotations.NullMarked;
