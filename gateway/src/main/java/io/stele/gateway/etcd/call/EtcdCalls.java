package io.stele.gateway.etcd.call;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.NotServingException;
import io.stele.gateway.nativeapi.Channels;
import io.stele.metastore.Metastore;
import io.stele.protocol.wire.WireHeaders;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Answers calls of one answer: by this member, or by the one that leads, which gets the very same
 * message at its native address. One hop only, so that two members who believe each other to lead
 * do not pass a call to and fro.
 */
public final class EtcdCalls {
  /** For callers that set no deadline of their own. */
  private static final long PATIENCE_SECONDS = 30;

  private final EtcdBackend backend;
  private final Channels channels;
  private final Function<EtcdCaller, Optional<String>> tokens;

  /**
   * For the members of a group.
   *
   * @param tokens by what other members know a caller: its token, or one that is made for it
   */
  public EtcdCalls(
      EtcdBackend backend, Channels channels, Function<EtcdCaller, Optional<String>> tokens) {
    this.backend = backend;
    this.channels = channels;
    this.tokens = tokens;
  }

  /** How a request is put to the metastore. */
  public interface Question<R> {
    CompletableFuture<R> ask(Metastore metastore, EtcdCaller caller);
  }

  public EtcdBackend backend() {
    return backend;
  }

  public <Q, R> void answer(
      MethodDescriptor<Q, R> method, Q request, StreamObserver<R> caller, Question<R> question) {
    answer(
        method,
        request,
        caller,
        question,
        CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  /** As above, for calls that wait for others, as long as their callers do. */
  public <Q, R> void await(
      MethodDescriptor<Q, R> method, Q request, StreamObserver<R> caller, Question<R> question) {
    answer(method, request, caller, question, CallOptions.DEFAULT);
  }

  private <Q, R> void answer(
      MethodDescriptor<Q, R> method,
      Q request,
      StreamObserver<R> caller,
      Question<R> question,
      CallOptions patience) {
    EtcdCaller who = EtcdCaller.current();
    // Of the call: its deadline, and its end if the caller leaves, are those of what is forwarded.
    Context context = Context.current();
    CompletableFuture<R> answer;
    try {
      checkLeader(who);
      answer = question.ask(backend.metastore(), who);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var _ =
        answer.whenComplete(
            (response, problem) -> {
              if (problem == null) {
                caller.onNext(response);
                caller.onCompleted();
                return;
              }
              Optional<String> leader = leaderToAsk(who, problem);
              if (leader.isPresent()) {
                CallOptions options =
                    context.getDeadline() == null ? patience : CallOptions.DEFAULT;
                context.run(() -> forward(method, request, leader.get(), who, options, caller));
              } else {
                caller.onError(EtcdErrors.of(problem));
              }
            });
  }

  private void checkLeader(EtcdCaller who) {
    if (who.hasLeader() && !backend.hasLeader()) {
      throw EtcdError.NO_LEADER.exception();
    }
  }

  /** Whom to ask instead, if that may help. */
  public static Optional<String> leaderToAsk(EtcdCaller who, Throwable problem) {
    return who.forwardable() && EtcdErrors.cause(problem) instanceof NotServingException elsewhere
        ? elsewhere.hint()
        : Optional.empty();
  }

  /** The other member as an etcd client sees it, on behalf of a caller. */
  public Channel to(String leader, EtcdCaller who) {
    Metadata headers = new Metadata();
    headers.put(WireHeaders.NO_FORWARD, "1");
    tokens.apply(who).ifPresent(token -> headers.put(EtcdCaller.TOKEN, token));
    return ClientInterceptors.intercept(
        channels.to(leader), MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private <Q, R> void forward(
      MethodDescriptor<Q, R> method,
      Q request,
      String leader,
      EtcdCaller who,
      CallOptions options,
      StreamObserver<R> caller) {
    ClientCall<Q, R> call;
    try {
      // An answer has a bound of its own, above that of other messages between members.
      call = to(leader, who).newCall(method, options.withMaxInboundMessageSize(Integer.MAX_VALUE));
    } catch (RuntimeException e) {
      caller.onError(EtcdErrors.of(e));
      return;
    }
    ClientCalls.asyncUnaryCall(call, request, new Answer<>(channels, leader, caller));
  }

  /** What the leader says, which is etcd's own already; only a lost connection needs words. */
  private record Answer<R>(Channels channels, String leader, StreamObserver<R> caller)
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
      caller.onError(explain(channels, leader, problem));
    }
  }

  /** An error of another member for the one who asked here. */
  public static Throwable explain(Channels channels, String leader, Throwable problem) {
    Status status = Status.fromThrowable(problem);
    String text = status.getDescription() == null ? "" : status.getDescription();
    if (text.startsWith("etcdserver: ")) {
      return status.asRuntimeException();
    }
    channels.unreachable(leader);
    return status.getCode() == Status.Code.UNAVAILABLE
        ? EtcdError.LEADER_CHANGED.exception()
        : EtcdError.TIMEOUT.exception();
  }

  public Channels channels() {
    return channels;
  }
}
