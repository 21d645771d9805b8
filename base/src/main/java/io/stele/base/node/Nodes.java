package io.stele.base.node;

/** Servers, each asked for itself. */
public interface Nodes {
  /**
   * How a server is.
   *
   * @throws io.stele.base.error.UnavailableException if it does not answer
   */
  NodeReport inspect(String address);
}
