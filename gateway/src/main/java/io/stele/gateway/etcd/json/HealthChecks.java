package io.stele.gateway.etcd.json;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.stele.base.error.SteleException;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.metastore.raft.Standing;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Etcd's probes, each of which is a list of checks: {@code /livez} says whether a restart would
 * help, {@code /readyz} whether the member can serve. A check alone is below its probe.
 *
 * <pre>
 *   GET /readyz?verbose&amp;exclude=non_learner
 *   [+]serializable_read ok
 *   [+]linearizable_read ok
 *   ok
 * </pre>
 */
final class HealthChecks {
  private static final long PATIENCE_SECONDS = 5;
  private static final String TEXT = "text/plain; charset=utf-8";

  private static final String SERIALIZABLE = "serializable_read";
  private static final String LINEARIZABLE = "linearizable_read";
  private static final String NON_LEARNER = "non_learner";

  private static final Map<String, List<String>> PROBES =
      Map.of(
          "/livez", List.of(SERIALIZABLE),
          "/readyz", List.of(SERIALIZABLE, LINEARIZABLE, NON_LEARNER));

  private static final ClientInterceptor REQUIRE_LEADER =
      MetadataUtils.newAttachHeadersInterceptor(EtcdCaller.requiringLeader());

  private HealthChecks() {}

  /** Returns false if the path names no probe. */
  static boolean answer(
      QueryStringDecoder uri, EtcdBackend backend, Supplier<Channel> grpc, JsonResponse response) {
    Optional<List<String>> found = checks(uri.path());
    if (found.isEmpty()) {
      return false;
    }
    List<String> excluded = uri.parameters().getOrDefault("exclude", List.of());
    List<String> checks = found.get().stream().filter(name -> !excluded.contains(name)).toList();
    boolean verbose = uri.parameters().containsKey("verbose");
    StringBuilder lines = new StringBuilder();
    CompletableFuture<Boolean> healthy = CompletableFuture.completedFuture(true);
    for (String name : checks) {
      healthy =
          healthy.thenCompose(
              so ->
                  check(name, backend, grpc)
                      .thenApply(
                          problem -> {
                            lines.append(line(name, problem));
                            return so && problem.isEmpty();
                          }));
    }
    var _ =
        healthy.thenAccept(
            so ->
                response.answer(
                    so ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
                    TEXT,
                    (verbose || !so ? lines : "") + (so ? "ok\n" : "not ok\n")));
    return true;
  }

  private static Optional<List<String>> checks(String path) {
    for (Map.Entry<String, List<String>> probe : PROBES.entrySet()) {
      if (path.equals(probe.getKey())) {
        return Optional.of(probe.getValue());
      }
      String name =
          path.startsWith(probe.getKey() + "/") ? path.substring(probe.getKey().length() + 1) : "";
      if (probe.getValue().contains(name)) {
        return Optional.of(List.of(name));
      }
    }
    return Optional.empty();
  }

  private static String line(String name, Optional<String> problem) {
    return problem
        .map(what -> "[-]" + name + " failed: " + what + "\n")
        .orElse("[+]" + name + " ok\n");
  }

  /** What is wrong, if anything. */
  private static CompletableFuture<Optional<String>> check(
      String name, EtcdBackend backend, Supplier<Channel> grpc) {
    try {
      return switch (name) {
        case SERIALIZABLE -> read(grpc.get(), true);
        case LINEARIZABLE -> read(grpc.get(), false);
        default ->
            CompletableFuture.completedFuture(
                backend.metastore().status().standing().role() == Standing.Role.OBSERVER
                    ? Optional.of("this member is a learner")
                    : Optional.empty());
      };
    } catch (SteleException e) {
      return CompletableFuture.completedFuture(Optional.of(String.valueOf(e.getMessage())));
    }
  }

  /**
   * Reads a key, as any client might, and answers what went wrong, if anything did. A member
   * without a leader is found out at once, and not when the read has waited for one.
   */
  static CompletableFuture<Optional<String>> read(Channel grpc, boolean serializable) {
    CompletableFuture<Optional<String>> outcome = new CompletableFuture<>();
    KVGrpc.newStub(serializable ? grpc : ClientInterceptors.intercept(grpc, REQUIRE_LEADER))
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .range(
            RangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8("health"))
                .setSerializable(serializable)
                .build(),
            new StreamObserver<>() {
              @Override
              public void onNext(RangeResponse answer) {
                outcome.complete(Optional.empty());
              }

              @Override
              public void onError(Throwable problem) {
                Status status = Status.fromThrowable(problem);
                boolean answered = // it wants to know who asks
                    status.getCode() == Status.Code.INVALID_ARGUMENT;
                outcome.complete(
                    answered
                        ? Optional.empty()
                        : Optional.of(status.getCode() + ": " + status.getDescription()));
              }

              @Override
              public void onCompleted() {}
            });
    return outcome;
  }
}
