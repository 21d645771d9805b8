package io.stele.base.tls;

/** Who is at the other end of a connection. */
public sealed interface Identity {
  /** The connection says nothing: without TLS, or within this process. */
  record Unchecked() implements Identity {}

  /** Nobody in particular: the connection is secured, and came without a certificate. */
  record Anonymous() implements Identity {}

  /** A person or program, by the common name of a certificate. */
  record User(String name) implements Identity {}

  /** A server of the cluster, by the common name of a certificate. */
  record Node(String name) implements Identity {}

  /** As messages name it. */
  default String describe() {
    return switch (this) {
      case Unchecked() -> "a caller without TLS";
      case Anonymous() -> "a caller without a certificate";
      case User(String name) -> "user " + name;
      case Node(String name) -> "node " + name;
    };
  }
}
