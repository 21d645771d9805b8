package io.stele.gateway.memory;

import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.base.error.ExhaustedException;
import io.stele.protocol.wire.ErrorMapping;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of large messages that clients send at the same time, on all connections
 * together. A message is in memory as a whole before anybody has looked at it, so a dozen clients
 * with large rows would run a server with a small heap out of memory.
 *
 * <p>A message counts once more than {@link #LARGE} bytes of it have come, until its call ends or
 * gives it back. When the sum is beyond the bound, the call that has received least of its message
 * ends with {@code Exhausted}, and its client tries again later. A message that is alone is taken
 * whatever its size. So the one that is furthest always arrives.
 *
 * <p>gRPC tells the bytes of a stream by its tracer, on the stream's own thread; the streams share
 * what is guarded by this.
 */
public final class RequestMemory {
  /** Smaller messages do not count: their number is bounded elsewhere. */
  static final long LARGE = 1 << 20;

  /** Of the heap: a request is copied a few times on its way, and much else is there. */
  private static final int PART_OF_HEAP = 6;

  private static final RequestMemory OF_PROCESS =
      new RequestMemory(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);

  private static final Context.Key<Stream> KEY = Context.key("stele-request-memory");

  private final long limit;
  private final Set<Stream> holding = new HashSet<>(); // guarded by this
  private long used; // guarded by this; the sum of what those hold

  RequestMemory(long limit) {
    this.limit = limit;
  }

  /** That of this process, which all its servers share as they share the heap. */
  public static RequestMemory ofProcess() {
    return OF_PROCESS;
  }

  /** Has a server count the messages of all its calls. */
  public void guard(ServerBuilder<?> server) {
    server
        .addStreamTracerFactory(
            new ServerStreamTracer.Factory() {
              @Override
              public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return new Stream();
              }
            })
        .intercept(new Refusals());
  }

  /** That of the call that this thread begins; nothing if its server does not count. */
  public static Optional<Stream> current() {
    return Optional.ofNullable(KEY.get());
  }

  /** One call. */
  public final class Stream extends ServerStreamTracer {
    private long received; // of the message on its way; only on the stream's thread

    // Guarded by the memory.
    private long held;
    private boolean receiving; // a large message, of which some is still to come
    private boolean refused;
    private @Nullable Consumer<ExhaustedException> refusal; // none: the call cannot be refused

    @Override
    public Context filterContext(Context context) {
      return context.withValue(KEY, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
      boolean wasSmall = received <= LARGE;
      received += bytes;
      if (received > LARGE) {
        hold(this, wasSmall ? received : bytes);
      }
    }

    @Override
    public void inboundMessageRead(int number, long wireSize, long size) {
      received = 0;
      synchronized (RequestMemory.this) {
        receiving = false;
      }
    }

    /** How the call is ended if it is refused; it may happen on any thread, at once. */
    public void onRefusal(Consumer<ExhaustedException> action) {
      synchronized (RequestMemory.this) {
        refusal = action;
      }
    }

    /** A message of so many bytes is done with, though its call goes on. */
    public void release(long bytes) {
      if (bytes > LARGE) {
        giveBack(this, bytes);
      }
    }

    @Override
    public void streamClosed(Status status) {
      giveBack(this, Long.MAX_VALUE);
    }

    private boolean isRefused() {
      synchronized (RequestMemory.this) {
        return refused;
      }
    }
  }

  private void hold(Stream stream, long bytes) {
    Optional<Refused> victim;
    synchronized (this) {
      if (stream.refused) {
        return; // what is still on its way is thrown away
      }
      holding.add(stream);
      stream.receiving = true;
      stream.held += bytes;
      used += bytes;
      victim = used > limit && holding.size() > 1 ? refuse() : Optional.empty();
    }
    victim.ifPresent(Refused::end);
  }

  /** A call that is to end. */
  private record Refused(Consumer<ExhaustedException> refusal, ExhaustedException problem) {
    void end() {
      refusal.accept(problem);
    }
  }

  /** Under the lock. */
  private Optional<Refused> refuse() {
    Optional<Stream> least =
        holding.stream()
            .filter(each -> each.receiving && each.refusal != null)
            .min(Comparator.comparingLong(each -> each.held));
    if (least.isEmpty()) {
      return Optional.empty();
    }
    Stream stream = least.get();
    Consumer<ExhaustedException> refusal = stream.refusal;
    ExhaustedException problem =
        new ExhaustedException(
            "large requests that are on their way take %d bytes, at most %d, and %d of them are of this one: try again later"
                .formatted(used, limit, stream.held));
    stream.refused = true;
    drop(stream, stream.held);
    return refusal == null ? Optional.empty() : Optional.of(new Refused(refusal, problem));
  }

  private synchronized void giveBack(Stream stream, long bytes) {
    drop(stream, Math.min(bytes, stream.held));
  }

  private synchronized void drop(Stream stream, long bytes) {
    stream.held -= bytes;
    used -= bytes;
    if (stream.held == 0) {
      holding.remove(stream);
    }
  }

  /** For tests: what large messages take. */
  synchronized long used() {
    return used;
  }

  /**
   * Ends calls of one message each that are refused. Nothing else uses such a call before its
   * message is there, and a message that comes all the same is thrown away: a refused request has
   * not been carried out.
   */
  private static final class Refusals implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      Stream stream = KEY.get();
      if (stream == null || !call.getMethodDescriptor().getType().clientSendsOneMessage()) {
        return next.startCall(call, headers);
      }
      stream.onRefusal(
          problem -> {
            StatusRuntimeException status = ErrorMapping.toStatus(problem);
            Metadata trailers = status.getTrailers();
            call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
          });
      return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
        @Override
        public void onMessage(Q message) {
          if (!stream.isRefused()) {
            super.onMessage(message);
          }
        }

        @Override
        public void onHalfClose() {
          if (!stream.isRefused()) {
            super.onHalfClose();
          }
        }
      };
    }
  }
}
