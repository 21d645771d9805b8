package io.stele.gateway.metric;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.stele.base.error.SteleException;
import io.stele.base.event.Defects;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of a gRPC server, by method and by the table that a request names. Calls that
 * last as long as their clients like, or wait for others to let go of something, are counted
 * without their time.
 */
public final class GrpcRequests {
  private static final Context.Key<Call> CALL = Context.key("stele-measured-call");

  /** Of requests of all interfaces, by what they call it. */
  private static final List<String> TABLE_FIELDS = List.of("table_name", "table", "dataset");

  private static final String PARTS = "%d ms to receive it, %d ms to answer";

  /** Unary calls and streams of answers that last for other reasons than the server's work. */
  private static final Set<String> WAITING =
      Set.of("Lock", "Campaign", "Observe", "Watch", "Snapshot", "Backup");

  private final Requests requests;
  private final Map<String, Method> methods = new ConcurrentHashMap<>();

  private GrpcRequests(Requests requests) {
    this.requests = requests;
  }

  /** Has a server count all its calls. */
  public static void measure(ServerBuilder<?> server) {
    GrpcRequests measured = new GrpcRequests(Requests.ofProcess());
    server
        .addStreamTracerFactory(
            new ServerStreamTracer.Factory() {
              @Override
              public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return measured.new Call();
              }
            })
        .intercept(new TableReader());
  }

  /** What is known of a method once it was called. */
  private record Method(RequestKind kind, boolean timed, Optional<FieldDescriptor> table) {}

  private Method method(MethodDescriptor<?, ?> descriptor) {
    return methods.computeIfAbsent(
        descriptor.getFullMethodName(),
        full -> {
          String service = Objects.requireNonNullElse(descriptor.getServiceName(), "");
          String name = Objects.requireNonNullElse(descriptor.getBareMethodName(), full);
          MethodType type = descriptor.getType();
          boolean timed =
              (type == MethodType.UNARY || type == MethodType.SERVER_STREAMING)
                  && !WAITING.contains(name);
          String shortService = service.substring(service.lastIndexOf('.') + 1);
          return new Method(
              requests.kind(api(service), shortService + "/" + name),
              timed,
              type.clientSendsOneMessage() ? tableField(descriptor) : Optional.empty());
        });
  }

  private static Api api(String service) {
    if (service.startsWith("google.")) {
      return Api.BIGTABLE;
    }
    return service.startsWith("etcdserverpb.")
            || service.startsWith("v3lockpb.")
            || service.startsWith("v3electionpb.")
        ? Api.ETCD
        : Api.NATIVE;
  }

  private static Optional<FieldDescriptor> tableField(MethodDescriptor<?, ?> descriptor) {
    if (descriptor.getRequestMarshaller() instanceof MethodDescriptor.PrototypeMarshaller<?> known
        && known.getMessagePrototype() instanceof Message prototype) {
      return TABLE_FIELDS.stream()
          .flatMap(
              name -> Stream.ofNullable(prototype.getDescriptorForType().findFieldByName(name)))
          .filter(field -> field.getJavaType() == FieldDescriptor.JavaType.STRING)
          .findFirst();
    }
    return Optional.empty();
  }

  /** One call. gRPC calls it by one thread after the other. */
  private final class Call extends ServerStreamTracer {
    private final long start = requests.now();
    private @Nullable Method method; // none before the server knows it
    private volatile String table = "";
    private long arrived = start; // its last message so far
    private long received;
    private long sent;

    @Override
    public Context filterContext(Context context) {
      return context.withValue(CALL, this);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
      method = method(info.getMethodDescriptor());
    }

    @Override
    public void inboundMessageRead(int number, long wireSize, long size) {
      arrived = requests.now();
    }

    @Override
    public void inboundWireSize(long bytes) {
      received += bytes;
    }

    @Override
    public void outboundWireSize(long bytes) {
      sent += bytes;
    }

    @Override
    public void streamClosed(Status status) {
      Method ended = method;
      if (ended == null) {
        return; // of no method that there is
      }
      Outcome outcome = Outcome.of(status.getCode());
      Throwable uncaught = uncaught(status);
      if (uncaught != null) {
        outcome = Outcome.DEFECT;
        String _ = Defects.ofProcess().report(ended.kind().name(), uncaught);
      }
      if (ended.timed()) {
        ended.kind().finished(table, outcome, start, arrived, PARTS, received, sent);
      } else {
        ended.kind().ended(table, outcome, received, sent);
      }
    }
  }

  /** What a handler threw, which gRPC turns into a status of its own and tells nobody. */
  private static @Nullable Throwable uncaught(Status status) {
    return status.getCode() == Status.Code.UNKNOWN && !(status.getCause() instanceof SteleException)
        ? status.getCause()
        : null;
  }

  /** Notes the table that the request of a call names. */
  private static final class TableReader implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      ServerCall.Listener<Q> listener = next.startCall(call, headers);
      Call measured = CALL.get();
      Method method = measured == null ? null : measured.method;
      if (method == null || method.table().isEmpty()) {
        return listener;
      }
      FieldDescriptor field = method.table().get();
      return new SimpleForwardingServerCallListener<>(listener) {
        @Override
        public void onMessage(Q message) {
          if (message instanceof Message request) {
            measured.table = table((String) request.getField(field));
          }
          super.onMessage(message);
        }
      };
    }

    /** The last part of a name such as Bigtable's, {@code projects/p/instances/i/tables/t}. */
    private static String table(String name) {
      return name.substring(name.lastIndexOf('/') + 1);
    }
  }
}
