package io.stele.bench.metastore;

/** In which protocol Stele is asked. */
enum Api {
  /** By its own Java client. */
  NATIVE("asked by its Java client, of the leader first"),

  /** As etcd is, by the same calls. */
  ETCD("asked in etcd's API, by the calls that etcd is asked by, of the leader");

  private final String about;

  Api(String about) {
    this.about = about;
  }

  String about() {
    return about;
  }
}
