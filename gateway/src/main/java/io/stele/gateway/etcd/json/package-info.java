/** etcd's API as JSON over HTTP/1.1, at the same port as its gRPC. */
@NullMarked
package io.stele.gateway.etcd.json;

import org.jspecify.annotations.NullMarked;
