package io.stele.protocol.wire;

import io.grpc.Metadata;

/** Headers and trailers of the native protocol. */
public final class WireHeaders {
  /** On whose behalf a request is made. */
  public static final Metadata.Key<String> PRINCIPAL = ascii("stele-principal");

  /** Present on a request that was forwarded once, and is to be answered here. */
  public static final Metadata.Key<String> NO_FORWARD = ascii("stele-no-forward");

  /** The kind of an error. */
  public static final Metadata.Key<String> ERROR = ascii("stele-error");

  /** With an error: the address of the member that leads. */
  public static final Metadata.Key<String> LEADER = ascii("stele-leader");

  /** With the first answer of an exchange: the port of the server's {@link RowFrames}. */
  public static final Metadata.Key<String> ROWS_PORT = ascii("stele-rows-port");

  private WireHeaders() {}

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
