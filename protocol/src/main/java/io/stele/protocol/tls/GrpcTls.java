package io.stele.protocol.tls;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Tls;
import javax.net.ssl.SSLException;

/** TLS for Netty, by the JDK's implementation. */
public final class GrpcTls {
  private GrpcTls() {}

  /** For connections to servers, whose certificates must name the host that was called. */
  public static SslContext client(Tls tls) {
    SslContextBuilder builder = SslContextBuilder.forClient();
    tls.keys().ifPresent(builder::keyManager);
    return build(GrpcSslContexts.configure(builder, SslProvider.JDK).trustManager(tls.trust()));
  }

  /** For a port that speaks gRPC alone. */
  public static SslContext server(Tls tls, ClientCertificates clients) {
    return build(serverBuilder(tls, clients));
  }

  /** As {@link #server}, for a port that offers other protocols too. */
  public static SslContextBuilder serverBuilder(Tls tls, ClientCertificates clients) {
    SslContextBuilder builder =
        SslContextBuilder.forServer(
            tls.keys()
                .orElseThrow(
                    () ->
                        new InvalidRequestException(
                            "TLS of a server without a certificate: must have one")));
    return GrpcSslContexts.configure(builder, SslProvider.JDK)
        .trustManager(tls.trust())
        .clientAuth(
            switch (clients) {
              case NONE -> ClientAuth.NONE;
              case OPTIONAL -> ClientAuth.OPTIONAL;
              case REQUIRED -> ClientAuth.REQUIRE;
            });
  }

  /** The context of a builder that has what {@link #serverBuilder} set. */
  public static SslContext build(SslContextBuilder builder) {
    try {
      return builder.sessionTimeout(Tls.SESSION_SECONDS).build();
    } catch (SSLException e) {
      throw new InvalidRequestException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }
}
