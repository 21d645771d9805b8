package io.stele.hadoop;

import io.stele.base.file.FileStore;
import io.stele.testkit.file.FileStoreContract;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's own local file system. */
class HadoopLocalContractTest extends FileStoreContract {
  @TempDir Path directory;

  @Override
  protected FileStore openStore() throws IOException {
    return HadoopFileStore.open(location(), new Configuration());
  }

  @Override
  protected FileStore openAgain() throws IOException {
    return HadoopFileStore.open(location(), new Configuration());
  }

  private URI location() {
    return directory.toUri();
  }

  /** Under a plain C locale the JVM has no way to write other names. */
  @Override
  protected List<String> unusualNames() {
    Charset encoding = Charset.forName(System.getProperty("sun.jnu.encoding"));
    return super.unusualNames().stream()
        .filter(name -> encoding.newEncoder().canEncode(name))
        .toList();
  }
}
