package io.stele.gateway.nativeapi;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.wire.WireHeaders;

/**
 * What a call's headers say.
 *
 * @param principal on whose behalf it is made; empty for nobody in particular
 * @param forwardable whether it has not been forwarded yet
 */
record CallInfo(String principal, boolean forwardable) {
  private static final CallInfo PLAIN = new CallInfo("", true);
  private static final Context.Key<CallInfo> KEY = Context.keyWithDefault("stele-call", PLAIN);

  /** Of the call that this thread handles. */
  static CallInfo current() {
    return KEY.get();
  }

  /** Reads the headers of each call. */
  static final class Reader implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      String principal = headers.get(WireHeaders.PRINCIPAL);
      boolean forwarded = headers.containsKey(WireHeaders.NO_FORWARD);
      if (principal == null && !forwarded) {
        return next.startCall(call, headers); // the context's default says so
      }
      CallInfo info = new CallInfo(principal == null ? "" : principal, !forwarded);
      return Contexts.interceptCall(Context.current().withValue(KEY, info), call, headers, next);
    }
  }
}
