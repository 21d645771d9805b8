package io.stele.gateway.etcd;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How a port for etcd's clients is secured. All are files in PEM.
 *
 * @param certificate of the server, with those that lead to its authority
 * @param key of the certificate, without a password: see {@link PemKey}
 * @param clientAuthority whose certificates clients must have; none if they need not have one
 */
public record EtcdTls(Path certificate, Path key, Optional<Path> clientAuthority) {
  /**
   * Clients of gRPC offer HTTP/2 alone; whoever offers both wants JSON, which speaks HTTP/1.1 here.
   */
  private static final ApplicationProtocolConfig PROTOCOLS =
      new ApplicationProtocolConfig(
          Protocol.ALPN,
          SelectorFailureBehavior.NO_ADVERTISE,
          SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_1_1,
          ApplicationProtocolNames.HTTP_2);

  SslContext context() {
    check("certificate", certificate);
    check("key", key);
    clientAuthority.ifPresent(file -> check("client-authority", file));
    try (InputStream chain = Files.newInputStream(certificate);
        InputStream secret = PemKey.pkcs8(key)) {
      SslContextBuilder builder =
          GrpcSslContexts.configure(SslContextBuilder.forServer(chain, secret), SslProvider.JDK)
              .applicationProtocolConfig(PROTOCOLS);
      clientAuthority.ifPresent(
          file -> builder.trustManager(file.toFile()).clientAuth(ClientAuth.REQUIRE));
      return builder.build();
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidRequestException(
          "etcd.certificate "
              + certificate
              + " and etcd.key "
              + key
              + " cannot be used: "
              + e.getMessage(),
          e);
    }
  }

  private static void check(String what, Path file) {
    if (!Files.isReadable(file)) {
      throw new InvalidRequestException(
          "etcd." + what + " is " + file + ": must be a file in PEM that can be read");
    }
  }
}
