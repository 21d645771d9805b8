package io.stele.gateway.security;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;
import io.grpc.StatusRuntimeException;
import io.stele.base.error.DeniedException;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.protocol.wire.ErrorMapping;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Finds out once for each connection of gRPC who is at its other end. */
public final class Callers extends ServerTransportFilter {
  private static final Attributes.Key<Identity> IDENTITY = Attributes.Key.create("stele-identity");

  private final Identities identities;

  public Callers(Identities identities) {
    this.identities = identities;
  }

  @Override
  public Attributes transportReady(Attributes connection) {
    @Nullable SSLSession session = connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    return session == null
        ? connection
        : connection.toBuilder().set(IDENTITY, identities.of(session)).build();
  }

  /** Who makes a call, as its connection has proved it. */
  public static Identity of(ServerCall<?, ?> call) {
    @Nullable Identity known = call.getAttributes().get(IDENTITY);
    return known == null ? new Identity.Unchecked() : known;
  }

  /** Ends a call before it begins. */
  public static <Q> ServerCall.Listener<Q> refuse(ServerCall<Q, ?> call, DeniedException why) {
    StatusRuntimeException refusal = ErrorMapping.toStatus(why);
    @Nullable Metadata trailers = refusal.getTrailers();
    call.close(refusal.getStatus(), trailers == null ? new Metadata() : trailers);
    return new ServerCall.Listener<>() {};
  }
}
