package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.CheckpointRequest;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.v1.CurrentTermRequest;
import io.stele.protocol.v1.CurrentTermResponse;
import io.stele.protocol.v1.FingerprintRequest;
import io.stele.protocol.v1.FingerprintResponse;
import io.stele.protocol.v1.FormRequest;
import io.stele.protocol.v1.FormResponse;
import io.stele.protocol.v1.IdentifyRequest;
import io.stele.protocol.v1.IdentifyResponse;
import io.stele.protocol.v1.MetastorePeerGrpc;
import io.stele.protocol.v1.ReserveRequest;
import io.stele.protocol.v1.ReserveResponse;
import io.stele.protocol.v1.UnreserveRequest;
import io.stele.protocol.v1.UnreserveResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/** Answers what other members ask beside replicating the log. */
final class MetastorePeerService extends MetastorePeerGrpc.MetastorePeerImplBase {
  private final Backend backend;
  private final ExecutorService blocking;

  MetastorePeerService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.blocking = blocking;
  }

  private static <R> void answer(StreamObserver<R> caller, Supplier<R> question) {
    R response;
    try {
      response = question.get();
    } catch (RuntimeException e) {
      caller.onError(ErrorMapping.toStatus(e));
      return;
    }
    caller.onNext(response);
    caller.onCompleted();
  }

  /** On the network's own thread: every read barrier of the leader waits for it. */
  @Override
  public void currentTerm(CurrentTermRequest request, StreamObserver<CurrentTermResponse> caller) {
    answer(
        caller,
        () ->
            CurrentTermResponse.newBuilder()
                .setTerm(backend.admin().currentTerm(request.getMember()))
                .build());
  }

  @Override
  public void checkpoint(CheckpointRequest request, StreamObserver<Chunk> caller) {
    ChunkOutput.send(caller, blocking, out -> backend.admin().writeCheckpoint(out));
  }

  @Override
  public void identify(IdentifyRequest request, StreamObserver<IdentifyResponse> caller) {
    answer(caller, () -> ToWire.identity(backend.admin().identify()));
  }

  @Override
  public void fingerprint(FingerprintRequest request, StreamObserver<FingerprintResponse> caller) {
    answer(
        caller,
        () ->
            FingerprintResponse.newBuilder()
                .setDigest(backend.admin().fingerprint(request.getIndex()).orElse(""))
                .build());
  }

  @Override
  public void reserve(ReserveRequest request, StreamObserver<ReserveResponse> caller) {
    blocking.execute(
        () ->
            answer(
                caller,
                () ->
                    ReserveResponse.newBuilder()
                        .setReserved(backend.admin().reserve(request.getGroup()))
                        .build()));
  }

  @Override
  public void unreserve(UnreserveRequest request, StreamObserver<UnreserveResponse> caller) {
    blocking.execute(
        () ->
            answer(
                caller,
                () -> {
                  backend.admin().unreserve(request.getGroup());
                  return UnreserveResponse.getDefaultInstance();
                }));
  }

  @Override
  public void form(FormRequest request, StreamObserver<FormResponse> caller) {
    blocking.execute(
        () ->
            answer(
                caller,
                () -> {
                  backend
                      .admin()
                      .form(
                          request.getGroup(),
                          request.getMember(),
                          FromWire.members(request.getMembersList()));
                  return FormResponse.getDefaultInstance();
                }));
  }
}
