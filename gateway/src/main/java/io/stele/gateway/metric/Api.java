package io.stele.gateway.metric;

import java.util.Locale;

/** The interface by which a request came. */
public enum Api {
  /** Stele's own, over gRPC. */
  NATIVE,
  /** Single operations on rows, on plain connections or in streams of the native interface. */
  ROWS,
  BIGTABLE,
  ETCD,
  /** Datasets over HTTP. */
  HTTP;

  private final String label = name().toLowerCase(Locale.ROOT);

  public String label() {
    return label;
  }
}
