package io.stele.testkit.file;

import io.stele.base.file.FileStore;
import io.stele.base.file.LocalFileStore;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class LocalFileStoreContractTest extends FileStoreContract {
  @TempDir Path root;

  @Override
  protected FileStore openStore() throws IOException {
    return LocalFileStore.openExclusive(root);
  }

  @Override
  protected FileStore openAgain() throws IOException {
    return LocalFileStore.open(root);
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
