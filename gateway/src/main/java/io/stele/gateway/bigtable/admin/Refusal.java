package io.stele.gateway.bigtable.admin;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** Answers with codes that are this API's alone; the text names the thing. */
public final class Refusal {
  private Refusal() {}

  public static StatusRuntimeException exists(String what) {
    return Status.ALREADY_EXISTS.withDescription(what + " exists already").asRuntimeException();
  }

  public static StatusRuntimeException notFound(String what) {
    return Status.NOT_FOUND.withDescription(what + " does not exist").asRuntimeException();
  }

  public static StatusRuntimeException precondition(String why) {
    return Status.FAILED_PRECONDITION.withDescription(why).asRuntimeException();
  }

  /** What Stele does not offer, and why. */
  public static StatusRuntimeException notOffered(String what, String why) {
    return Status.UNIMPLEMENTED.withDescription(what + ": " + why).asRuntimeException();
  }
}
