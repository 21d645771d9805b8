/** TLS of the connections of gRPC. */
@NullMarked
package io.stele.protocol.tls;

import org.jspecify.annotations.NullMarked;
