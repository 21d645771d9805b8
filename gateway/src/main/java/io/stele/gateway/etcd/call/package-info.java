/** How a call of etcd's API is answered: here, by the leader, or with etcd's own error. */
@NullMarked
package io.stele.gateway.etcd.call;

import org.jspecify.annotations.NullMarked;
