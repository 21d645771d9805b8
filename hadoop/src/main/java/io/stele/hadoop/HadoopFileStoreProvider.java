package io.stele.hadoop;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStoreProvider;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/**
 * Opens whatever file system Hadoop is configured for: {@code core-site.xml} and {@code
 * hdfs-site.xml} are read from the class path, and every option is a Hadoop property that overrides
 * them.
 */
public final class HadoopFileStoreProvider implements FileStoreProvider {
  /** They cannot be written to, or cannot make a file durable while it is written. */
  private static final Set<String> UNFIT = Set.of("http", "https", "har", "webhdfs", "swebhdfs");

  @Override
  public boolean supports(URI location) {
    String scheme = location.getScheme();
    if (scheme == null) {
      return false;
    }
    try {
      FileSystem.getFileSystemClass(scheme, new Configuration());
      return true;
    } catch (UnsupportedFileSystemException e) {
      return false;
    } catch (IOException e) {
      throw unusable(scheme, e);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof ClassNotFoundException) {
        // Hadoop knows of it, but its library is not on the class path.
        return false;
      }
      throw unusable(scheme, e);
    }
  }

  private static InvalidRequestException unusable(String scheme, Exception e) {
    return new InvalidRequestException(
        "Hadoop's file system for the scheme \"" + scheme + "\" cannot be loaded: " + e, e);
  }

  @Override
  public List<String> schemes() {
    return ServiceLoader.load(FileSystem.class).stream()
        .map(found -> found.get().getScheme())
        .filter(scheme -> !UNFIT.contains(scheme))
        .sorted()
        .toList();
  }

  @Override
  public FileStore open(URI location, Map<String, String> options) throws IOException {
    if (UNFIT.contains(location.getScheme())) {
      throw new InvalidRequestException(
          "file store "
              + location
              + ": "
              + location.getScheme()
              + " cannot keep files that are durable while they are written; use hdfs or s3a");
    }
    Configuration configuration = new Configuration();
    options.forEach(configuration::set);
    return HadoopFileStore.open(location, configuration);
  }
}
