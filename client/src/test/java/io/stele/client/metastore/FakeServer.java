package io.stele.client.metastore;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.stele.protocol.wire.WireHeaders;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server on loopback over a {@link FakeMetastore}, whose calls fail as a test says. Several may
 * share one metastore, as members do.
 */
final class FakeServer implements AutoCloseable {
  private final Server server;
  private final Map<String, ArrayDeque<Fault>> faults = new HashMap<>();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<String> principals = new CopyOnWriteArrayList<>();

  FakeServer(FakeMetastore metastore) {
    this(metastore, 0);
  }

  FakeServer(FakeMetastore metastore, int port) {
    try {
      server =
          NettyServerBuilder.forAddress(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .addService(metastore)
              .intercept(new Faults())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An address at which nobody listens. */
  static String deadAddress() {
    return "127.0.0.1:" + FreePorts.next();
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** The next calls of a method fail so, one after the other. */
  synchronized void fail(String method, Fault... next) {
    faults.computeIfAbsent(method, m -> new ArrayDeque<>()).addAll(List.of(next));
  }

  /** How often a method was called here. */
  long calls(String method) {
    return calls.stream().filter(method::equals).count();
  }

  List<String> principals() {
    return principals;
  }

  private synchronized @Nullable Fault nextFault(String method) {
    ArrayDeque<Fault> next = faults.get(method);
    return next == null ? null : next.poll();
  }

  private final class Faults implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      String method = call.getMethodDescriptor().getBareMethodName();
      calls.add(method == null ? "" : method);
      String principal = headers.get(WireHeaders.PRINCIPAL);
      principals.add(principal == null ? "" : principal);
      Fault fault = nextFault(method == null ? "" : method);
      if (fault == null) {
        return next.startCall(call, headers);
      }
      // A copy: closing a call writes to them, and tests that run side by side share the fault.
      Metadata trailers = new Metadata();
      if (fault.answer().getTrailers() != null) {
        trailers.merge(fault.answer().getTrailers());
      }
      if (!fault.done()) {
        call.close(fault.answer().getStatus(), trailers);
        return new ServerCall.Listener<>() {};
      }
      return next.startCall(
          new SimpleForwardingServerCall<>(call) {
            @Override
            public void sendMessage(R message) {} // it is lost

            @Override
            public void sendHeaders(Metadata ignored) {}

            @Override
            public void close(Status status, Metadata ignored) {
              super.close(fault.answer().getStatus(), trailers);
            }
          },
          headers);
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
