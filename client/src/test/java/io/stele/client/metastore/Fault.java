package io.stele.client.metastore;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.base.error.SteleException;
import io.stele.protocol.wire.ErrorMapping;

/**
 * What goes wrong with one call.
 *
 * @param done whether the server carries it out all the same
 * @param answer what the caller gets instead of the answer
 */
record Fault(boolean done, StatusRuntimeException answer) {
  /** The server refuses, and has done nothing. */
  static Fault refused(SteleException problem) {
    return new Fault(false, ErrorMapping.toStatus(problem));
  }

  /** The server does not know whether it was done; it was. */
  static Fault doneBut(SteleException problem) {
    return new Fault(true, ErrorMapping.toStatus(problem));
  }

  /** The connection breaks on the way there. */
  static Fault lostRequest() {
    return new Fault(false, broken());
  }

  /** The connection breaks on the way back. */
  static Fault lostAnswer() {
    return new Fault(true, broken());
  }

  private static StatusRuntimeException broken() {
    return Status.UNAVAILABLE.withDescription("connection reset").asRuntimeException();
  }
}
