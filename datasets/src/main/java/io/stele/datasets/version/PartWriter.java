package io.stele.datasets.version;

import java.io.IOException;

/** Writes the file of one shard into a source. */
interface PartWriter {
  void put(byte[] key, byte[] value) throws IOException;

  VersionManifest.DeclaredFile finish() throws IOException;

  /** Deletes what was written. */
  void abandon() throws IOException;
}
