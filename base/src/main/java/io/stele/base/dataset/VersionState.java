package io.stele.base.dataset;

/** What a node does with a version. */
public enum VersionState {
  /** It is in the source and not loaded. */
  AVAILABLE,
  /** Shards of it are being loaded, or other nodes' shards awaited. */
  BUILDING,
  /** It is, or was, served to clients, and peers can ask for it. */
  ACTIVE,
  /** It is being deleted here. */
  REMOVING,
  /** It could not be loaded; tried again at the next refresh. */
  ERROR
}
