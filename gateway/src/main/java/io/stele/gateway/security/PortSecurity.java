package io.stele.gateway.security;

import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContextBuilder;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Tls;
import io.stele.protocol.tls.GrpcTls;

/**
 * How a port is secured.
 *
 * @param clients whether those who connect must show a certificate
 * @param identities tells from a certificate who they are
 */
public record PortSecurity(Tls tls, ClientCertificates clients, Identities identities) {
  /** Secures a port of gRPC alone, and has its calls know who makes them: see {@link Callers}. */
  public void secure(NettyServerBuilder builder) {
    builder.sslContext(GrpcTls.server(tls, clients)).addTransportFilter(new Callers(identities));
  }

  /** For a port that speaks other protocols too. */
  public SslContextBuilder context() {
    return GrpcTls.serverBuilder(tls, clients);
  }
}
