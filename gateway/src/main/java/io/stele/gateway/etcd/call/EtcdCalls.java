package io.stele.gateway.etcd.call;

import com.google.protobuf.MessageLite;
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
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireHeaders;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Answers calls of one answer: by this member, or by the one that leads, which gets the very same
 * message at its native address. One hop only, so that two members who believe each other to lead
 * do not pass a call to and fro. While nobody leads, the member that was called holds the request:
 * see {@link LeaderWait}.
 */
public final class EtcdCalls {
  /** For callers that set no deadline of their own. */
  private static final long PATIENCE_SECONDS = 30;

  /** Calls that may be sent again even if they may have been carried out. */
  private static final Set<MethodDescriptor<?, ?>> REPEATABLE =
      Set.of(
          KVGrpc.getRangeMethod(),
          LeaseGrpc.getLeaseTimeToLiveMethod(),
          LeaseGrpc.getLeaseLeasesMethod(),
          LeaseGrpc.getLeaseKeepAliveMethod());

  /** How a call may be repeated, and how long it may take. */
  private enum Kind {
    /** Fails with {@link NotServingException} only if it has changed nothing. */
    SAFE,
    /** The same, and it waits for others, as long as its caller does. */
    WAIT,
    /**
     * Consists of several steps of which any may fail so: once it has begun, it is not repeated.
     */
    STEPS
  }

  private final EtcdBackend backend;
  private final Channels channels;
  private final Callers callers;
  private final LeaderWait waits;

  /** For the members of a group. */
  public EtcdCalls(EtcdBackend backend, Channels channels, Callers callers, LeaderWait waits) {
    this.backend = backend;
    this.channels = channels;
    this.callers = callers;
    this.waits = waits;
  }

  /** What is known of those who call. */
  public interface Callers {
    /** Has the rights of callers read as this member has them now, before they are looked at. */
    CompletableFuture<Void> refresh(Metastore metastore);

    /** By what other members know a caller: its token, or one that is made for it. */
    Optional<String> token(EtcdCaller caller);
  }

  /** How a request is put to the metastore. */
  public interface Question<R> {
    CompletableFuture<R> ask(Metastore metastore, EtcdCaller caller);
  }

  public EtcdBackend backend() {
    return backend;
  }

  /** For questions that fail with {@link NotServingException} only if they changed nothing. */
  public <Q extends MessageLite, R> void answer(
      MethodDescriptor<Q, R> method, Q request, StreamObserver<R> caller, Question<R> question) {
    answer(Kind.SAFE, method, request, caller, question);
  }

  /** For questions of several steps of which any may fail so. */
  public <Q extends MessageLite, R> void answerSteps(
      MethodDescriptor<Q, R> method, Q request, StreamObserver<R> caller, Question<R> question) {
    answer(Kind.STEPS, method, request, caller, question);
  }

  /** As {@link #answer}, for questions that wait for others, as long as their callers do. */
  public <Q extends MessageLite, R> void await(
      MethodDescriptor<Q, R> method, Q request, StreamObserver<R> caller, Question<R> question) {
    answer(Kind.WAIT, method, request, caller, question);
  }

  private <Q extends MessageLite, R> void answer(
      Kind kind,
      MethodDescriptor<Q, R> method,
      Q request,
      StreamObserver<R> caller,
      Question<R> question) {
    EtcdCaller who = EtcdCaller.current();
    // Of the call: its deadline, and its end if the caller leaves, are those of what is forwarded.
    Context context = Context.current();
    var _ =
        whileLed(
                who,
                request.getSerializedSize(),
                context::isCancelled,
                () -> attempt(kind, method, request, who, context, question))
            .whenComplete(
                (response, problem) -> {
                  if (problem == null) {
                    caller.onNext(response);
                    caller.onCompleted();
                  } else {
                    caller.onError(EtcdErrors.of(problem));
                  }
                });
  }

  /**
   * Answers what an attempt answers that finds a leader: see {@link LeaderWait#ask}. Those who
   * would rather have an error than wait for one get it at once, and so does another member that
   * took this one for the leader, and holds the request itself.
   */
  public <R> CompletableFuture<R> whileLed(
      EtcdCaller who, long bytes, BooleanSupplier gone, Supplier<CompletableFuture<R>> attempt) {
    try {
      backend.metastore(); // a server without one does not get one by an election
      if (who.hasLeader() && !backend.hasLeader()) {
        throw EtcdError.NO_LEADER.exception();
      }
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return who.forwardable() ? waits.ask(bytes, gone, attempt) : attempt.get();
  }

  private <Q, R> CompletableFuture<R> attempt(
      Kind kind,
      MethodDescriptor<Q, R> method,
      Q request,
      EtcdCaller who,
      Context context,
      Question<R> question) {
    if (kind == Kind.STEPS && who.forwardable() && !backend.lead().usable()) {
      return CompletableFuture.failedFuture(new NotServingException("nobody leads"));
    }
    return ask(who, question)
        .exceptionallyCompose(
            problem -> {
              Optional<String> leader = leaderToAsk(who, problem);
              if (leader.isPresent()) {
                return forward(kind, method, request, leader.get(), who, context);
              }
              return CompletableFuture.failedFuture(
                  kind == Kind.STEPS ? EtcdErrors.of(problem) : problem);
            });
  }

  private <R> CompletableFuture<R> ask(EtcdCaller who, Question<R> question) {
    try {
      Metastore metastore = backend.metastore();
      CompletableFuture<Void> fresh = callers.refresh(metastore);
      return fresh.isDone() && !fresh.isCompletedExceptionally()
          ? question.ask(metastore, who)
          : fresh.thenCompose(_ -> question.ask(metastore, who));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
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
    callers.token(who).ifPresent(token -> headers.put(EtcdCaller.TOKEN, token));
    return ClientInterceptors.intercept(
        channels.to(leader), MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private <Q, R> CompletableFuture<R> forward(
      Kind kind,
      MethodDescriptor<Q, R> method,
      Q request,
      String leader,
      EtcdCaller who,
      Context context) {
    CallOptions options =
        context.getDeadline() == null && kind != Kind.WAIT
            ? CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
            : CallOptions.DEFAULT;
    CompletableFuture<R> answer = new CompletableFuture<>();
    Context before = context.attach();
    try {
      // An answer has a bound of its own, above that of other messages between members.
      ClientCall<Q, R> call =
          to(leader, who).newCall(method, options.withMaxInboundMessageSize(Integer.MAX_VALUE));
      ClientCalls.asyncUnaryCall(
          call,
          request,
          new StreamObserver<>() {
            @Override
            public void onNext(R message) {
              answer.complete(message);
            }

            @Override
            public void onError(Throwable problem) {
              answer.completeExceptionally(explain(leader, problem, method, kind != Kind.STEPS));
            }

            @Override
            public void onCompleted() {
              answer.completeExceptionally(EtcdError.TIMEOUT.exception()); // unless it came before
            }
          });
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    } finally {
      context.detach(before);
    }
    return answer;
  }

  /**
   * An error of another member for the one who asked here: etcd's own, or {@link
   * NotServingException} if the request may be sent again.
   *
   * @param safe whether "no leader" means that nothing was done
   */
  public Throwable explain(
      String leader, Throwable problem, MethodDescriptor<?, ?> method, boolean safe) {
    Status status = Status.fromThrowable(problem);
    String text = status.getDescription() == null ? "" : status.getDescription();
    if (text.startsWith("etcdserver: ")) {
      return safe && text.equals(EtcdError.NO_LEADER.status().getDescription())
          ? new NotServingException(leader + " does not lead any more")
          : status.asRuntimeException();
    }
    channels.unreachable(leader);
    boolean unavailable = status.getCode() == Status.Code.UNAVAILABLE;
    if (ErrorMapping.neverSent(status) || (unavailable && REPEATABLE.contains(method))) {
      return new NotServingException("the leader at " + leader + " does not answer: " + text);
    }
    return unavailable ? EtcdError.LEADER_CHANGED.exception() : EtcdError.TIMEOUT.exception();
  }
}
