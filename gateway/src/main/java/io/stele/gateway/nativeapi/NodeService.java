package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.InspectRequest;
import io.stele.protocol.v1.InspectResponse;
import io.stele.protocol.v1.NodeGrpc;
import io.stele.protocol.wire.WireNodes;
import java.util.concurrent.ExecutorService;

/** The native service over what a server tells of itself. */
final class NodeService extends NodeGrpc.NodeImplBase {
  private final Backend backend;
  private final BlockingCalls calls;

  NodeService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.calls = new BlockingCalls(blocking);
  }

  @Override
  public void inspect(InspectRequest request, StreamObserver<InspectResponse> caller) {
    calls.answer(caller, () -> WireNodes.toWire(backend.inspect()));
  }
}
