/** etcd's members and their upkeep. */
@NullMarked
package io.stele.gateway.etcd.cluster;

import org.jspecify.annotations.NullMarked;
