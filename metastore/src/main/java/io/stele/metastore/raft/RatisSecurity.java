package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.tls.Tls;
import java.util.Optional;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;

/**
 * TLS among members as Ratis is told of it. It asks our managers at each handshake, so that
 * certificates that were renewed are used without a restart. Both sides show a certificate.
 */
final class RatisSecurity {
  private RatisSecurity() {}

  /**
   * What to give to a server of Ratis.
   *
   * @param tls that accepts nodes alone; nothing if members speak without TLS
   */
  static Parameters of(Optional<Tls> tls) {
    Parameters parameters = new Parameters();
    tls.ifPresent(among -> GrpcConfigKeys.TLS.setConf(parameters, config(among)));
    return parameters;
  }

  private static GrpcTlsConfig config(Tls tls) {
    return GrpcTlsConfig.newBuilder()
        .setName("members of the metastore")
        .setKeyManager(
            tls.keys()
                .orElseThrow(
                    () ->
                        new InvalidRequestException(
                            "TLS among members without a certificate: each must have one")))
        .setTrustManager(tls.trust())
        .setMutualTls(true)
        .setSslProvider(SslProvider.JDK)
        .build();
  }
}
