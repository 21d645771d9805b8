package io.stele.base.dataset;

import io.stele.base.bytes.Bytes;
import java.io.Closeable;
import java.io.IOException;

/**
 * A version of a dataset that is being written where servers look for versions. They see all of it,
 * or nothing. One thread at a time; closed without {@link #finish}, it deletes what it wrote.
 */
public interface VersionOutput extends Closeable {
  /** What a version consists of. */
  record Summary(String path, int shards, long records, long bytes) {}

  /** How records are written. */
  enum Format {
    /** Tab-separated text: readable, but keys cannot have tabs, and nothing line feeds. */
    TEXT,
    /** Sparkey logs and indexes: any bytes, and the fastest to load. */
    SPARKEY
  }

  /** Adds a record; of several with one key one stays. */
  void put(Bytes key, Bytes value) throws IOException;

  /** Makes the version complete. */
  Summary finish() throws IOException;

  /** Begins versions. Found by {@link java.util.ServiceLoader}. */
  interface Provider {
    /**
     * Begins a version.
     *
     * @param root of the source, a directory or a URI
     */
    VersionOutput create(String root, String dataset, String version, int shards, Format format)
        throws IOException;
  }
}
