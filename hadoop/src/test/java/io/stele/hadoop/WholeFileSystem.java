package io.stele.hadoop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * A file system that behaves as object stores do: a file appears when it is closed, whole, and
 * cannot be synced before. Keeps its files on the local disk.
 */
public final class WholeFileSystem extends RawLocalFileSystem {
  static final String ABORTABLE = "whole.abortable";
  private static final URI URI_OF_ALL = URI.create("whole:///");

  /** Settings under which Hadoop finds this file system. */
  static Configuration configuration(boolean abortable) {
    Configuration configuration = new Configuration();
    configuration.setClass("fs.whole.impl", WholeFileSystem.class, RawLocalFileSystem.class);
    configuration.setBoolean(ABORTABLE, abortable);
    return configuration;
  }

  @Override
  public URI getUri() {
    return URI_OF_ALL;
  }

  @Override
  public FSDataOutputStreamBuilder<?, ?> createFile(Path path) {
    return createDataOutputStreamBuilder(this, path).create();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksum)
      throws IOException {
    return put(path, flags.contains(CreateFlag.OVERWRITE));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return put(path, overwrite);
  }

  private FSDataOutputStream put(Path path, boolean overwrite) throws IOException {
    if (exists(path) && (!overwrite || getFileStatus(path).isDirectory())) {
      throw new FileAlreadyExistsException(path.toString());
    }
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      if (exists(above) && getFileStatus(above).isFile()) {
        throw new IOException(above + " is a file");
      }
    }
    return new FSDataOutputStream(new Upload(path, overwrite), statistics);
  }

  private synchronized void putInPlace(Path path, byte[] content, boolean overwrite)
      throws IOException {
    if (exists(path) && !overwrite) {
      throw new FileAlreadyExistsException(path.toString());
    }
    Path part = new Path(System.getProperty("java.io.tmpdir"), "whole-" + UUID.randomUUID());
    try (FSDataOutputStream output =
        super.create(makeQualified(part), false, 4096, (short) 1, 1 << 20, null)) {
      output.write(content);
    }
    mkdirs(path.getParent());
    if (!rename(makeQualified(part), path)) {
      throw new IOException("cannot put " + path + " in place");
    }
  }

  /** Collects a file until it is closed. */
  private final class Upload extends ByteArrayOutputStream
      implements StreamCapabilities, Abortable {
    private final Path path;
    private final boolean overwrite;
    private boolean ended;

    Upload(Path path, boolean overwrite) {
      this.path = path;
      this.overwrite = overwrite;
    }

    @Override
    public boolean hasCapability(String capability) {
      return capability.equals(StreamCapabilities.ABORTABLE_STREAM)
          && getConf().getBoolean(ABORTABLE, true);
    }

    @Override
    public AbortableResult abort() {
      ended = true;
      return new AbortableResult() {
        @Override
        public boolean alreadyClosed() {
          return false;
        }

        @Override
        public @Nullable IOException anyCleanupException() {
          return null;
        }
      };
    }

    @Override
    public void close() throws IOException {
      if (!ended) {
        ended = true;
        putInPlace(path, toByteArray(), overwrite);
      }
    }
  }
}
