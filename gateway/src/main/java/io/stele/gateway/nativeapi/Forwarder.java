package io.stele.gateway.nativeapi;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireHeaders;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands calls to the member that leads, as they came: the message is the same, so the session and
 * sequence in it, and the principal goes along. One hop only, so that two members who believe each
 * other to lead do not pass a call to and fro.
 */
final class Forwarder {
  /** For callers that set no deadline of their own. */
  private static final long PATIENCE_SECONDS = 30;

  private static final Set<String> READS =
      Set.of(
          MetastoreGrpc.getRangeMethod().getFullMethodName(),
          MetastoreGrpc.getListMethod().getFullMethodName(),
          MetastoreGrpc.getReadInMethod().getFullMethodName(),
          MetastoreGrpc.getGetLockMethod().getFullMethodName(),
          MetastoreGrpc.getGetAclMethod().getFullMethodName(),
          MetastoreGrpc.getKeepAliveMethod().getFullMethodName());

  private final Channels channels;

  Forwarder(Channels channels) {
    this.channels = channels;
  }

  /** Returns the call, to be cancelled if the caller is gone. */
  <Q, R> ClientCall<Q, R> forward(
      MethodDescriptor<Q, R> method,
      Q request,
      String leader,
      String principal,
      @Nullable Deadline deadline,
      StreamObserver<R> answer) {
    Metadata headers = new Metadata();
    headers.put(WireHeaders.NO_FORWARD, "1");
    if (!principal.isEmpty()) {
      headers.put(WireHeaders.PRINCIPAL, principal);
    }
    CallOptions options =
        deadline == null
            ? CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
            : CallOptions.DEFAULT.withDeadline(deadline);
    ClientCall<Q, R> call =
        ClientInterceptors.intercept(
                channels.to(leader), MetadataUtils.newAttachHeadersInterceptor(headers))
            .newCall(method, options);
    ClientCalls.asyncUnaryCall(call, request, new Answer<>(channels, method, leader, answer));
    return call;
  }

  private record Answer<R>(
      Channels channels, MethodDescriptor<?, R> method, String leader, StreamObserver<R> caller)
      implements StreamObserver<R> {
    @Override
    public void onNext(R message) {
      caller.onNext(message);
    }

    @Override
    public void onCompleted() {
      caller.onCompleted();
    }

    @Override
    public void onError(Throwable problem) {
      caller.onError(ErrorMapping.toStatus(explain(problem)));
    }

    /** The leader's own words; or, if the connection failed, whether it may have done it. */
    private Throwable explain(Throwable problem) {
      Metadata trailers = Status.trailersFromThrowable(problem);
      if (ErrorMapping.isAnswer(trailers)) {
        return problem instanceof StatusRuntimeException
            ? problem
            : ErrorMapping.fromThrown(leader, problem);
      }
      SteleException found = ErrorMapping.fromThrown(leader, problem);
      boolean neverSent = ErrorMapping.neverSent(Status.fromThrowable(problem));
      if (neverSent) {
        channels.unreachable(leader);
      }
      if (neverSent || READS.contains(method.getFullMethodName())) {
        return new UnavailableException("forwarding to the leader at " + found.getMessage());
      }
      return found instanceof UnavailableException
          ? new OutcomeUnknownException(
              "forwarded to the leader, whose answer was lost: " + found.getMessage())
          : found;
    }
  }
}
