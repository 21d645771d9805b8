package io.stele.gateway.etcd.call;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.base.tls.Identity;
import io.stele.gateway.security.Callers;
import io.stele.protocol.wire.WireHeaders;
import java.util.Optional;

/**
 * What the metadata of a call and its connection say.
 *
 * @param token of who has authenticated
 * @param certified the name in the client's certificate
 * @param forwardable whether the call has not been forwarded yet
 * @param hasLeader whether the caller would rather have an error than a member without a leader
 */
public record EtcdCaller(
    Optional<String> token, Optional<String> certified, boolean forwardable, boolean hasLeader) {
  private static final EtcdCaller PLAIN =
      new EtcdCaller(Optional.empty(), Optional.empty(), true, false);
  private static final Context.Key<EtcdCaller> KEY =
      Context.keyWithDefault("stele-etcd-caller", PLAIN);

  static final Metadata.Key<String> TOKEN = ascii("token");
  private static final Metadata.Key<String> AUTHORIZATION = ascii("authorization");
  private static final Metadata.Key<String> HAS_LEADER = ascii("hasleader");

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** The metadata of a caller that would rather have an error than wait for a leader. */
  public static Metadata requiringLeader() {
    Metadata headers = new Metadata();
    headers.put(HAS_LEADER, "true");
    return headers;
  }

  /** Of the call that this thread handles. */
  public static EtcdCaller current() {
    return KEY.get();
  }

  /** Reads the metadata of each call. */
  public static final class Reader implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      String token = headers.get(TOKEN);
      if (token == null) {
        token = headers.get(AUTHORIZATION);
      }
      boolean forwarded = headers.containsKey(WireHeaders.NO_FORWARD);
      boolean hasLeader = "true".equals(headers.get(HAS_LEADER));
      Optional<String> certified = // a node that forwards sends the user's token
          Callers.of(call) instanceof Identity.User(String name)
              ? Optional.of(name)
              : Optional.empty();
      if (token == null && certified.isEmpty() && !forwarded && !hasLeader) {
        return next.startCall(call, headers); // the context's default says so
      }
      EtcdCaller caller =
          new EtcdCaller(Optional.ofNullable(token), certified, !forwarded, hasLeader);
      return Contexts.interceptCall(Context.current().withValue(KEY, caller), call, headers, next);
    }
  }
}
