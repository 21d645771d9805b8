package io.stele.client.node;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.node.NodeReport;
import io.stele.base.node.Nodes;
import io.stele.client.call.Caller;
import io.stele.protocol.v1.InspectRequest;
import io.stele.protocol.v1.NodeGrpc;
import io.stele.protocol.wire.WireNodes;
import java.util.concurrent.ExecutionException;

/** Servers elsewhere, each asked for itself, once. */
public final class RemoteNodes implements Nodes {
  private final Caller caller;

  /** Asks by this caller; does not close it. */
  public RemoteNodes(Caller caller) {
    this.caller = caller;
  }

  @Override
  public NodeReport inspect(String address) {
    try {
      return WireNodes.report(
          caller
              .callAt(
                  address,
                  NodeGrpc.getInspectMethod(),
                  InspectRequest.getDefaultInstance(),
                  caller.settings().attemptTimeout())
              .get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException("interrupted while waiting for the answer", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SteleException problem
          ? problem
          : new UnavailableException(address + ": no answer: " + e.getCause(), e);
    }
  }
}
