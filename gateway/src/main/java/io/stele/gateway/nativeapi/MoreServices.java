package io.stele.gateway.nativeapi;

import io.grpc.ServerBuilder;

/** Services of another protocol that a server has at its native address as well. */
public interface MoreServices {
  /** None. */
  MoreServices NONE = server -> {};

  void addTo(ServerBuilder<?> server);
}
