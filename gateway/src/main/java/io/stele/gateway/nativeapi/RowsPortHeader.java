package io.stele.gateway.nativeapi;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.wire.WireHeaders;

/** Tells those who begin an exchange at which port the {@link RowServer} is. */
record RowsPortHeader(int port) implements ServerInterceptor {
  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    if (!method.equals(TableDataGrpc.getExchangeMethod().getFullMethodName())) {
      return next.startCall(call, headers);
    }
    return next.startCall(
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void sendHeaders(Metadata answer) {
            answer.put(WireHeaders.ROWS_PORT, Integer.toString(port));
            super.sendHeaders(answer);
          }
        },
        headers);
  }
}
