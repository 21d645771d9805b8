package io.stele.gateway.security;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.base.error.DeniedException;
import io.stele.base.tls.Identity;

/**
 * Keeps the services that servers have for each other from everybody else. Where connections are
 * not secured nobody can be told apart, and all are let in.
 */
public final class NodesOnly implements ServerInterceptor {
  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Identity caller = Callers.of(call);
    return switch (caller) {
      case Identity.Node _, Identity.Unchecked _ -> next.startCall(call, headers);
      case Identity.User _, Identity.Anonymous _ ->
          Callers.refuse(
              call,
              new DeniedException(
                  "%s is for the servers of the cluster: %s has no certificate of a node"
                      .formatted(
                          call.getMethodDescriptor().getFullMethodName(), caller.describe())));
    };
  }
}
