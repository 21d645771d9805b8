/** etcd's version 3 API in front of a metastore. */
@NullMarked
package io.stele.gateway.etcd;

import org.jspecify.annotations.NullMarked;
