package io.stele.client.call;

import io.netty.handler.ssl.SslContext;
import io.stele.base.tls.Tls;
import io.stele.protocol.tls.GrpcTls;
import javax.net.ssl.SSLContext;

/**
 * What all connections of a client that are secured have in common.
 *
 * @param grpc for those of gRPC
 * @param rows for those by which single operations on rows go
 */
record Secured(SslContext grpc, SSLContext rows) {
  static Secured by(Tls tls) {
    return new Secured(GrpcTls.client(tls), tls.context());
  }
}
