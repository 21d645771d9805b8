package io.stele.hadoop;

import io.stele.base.file.FileStore;
import io.stele.testkit.file.FileStoreContract;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(MiniDfs.LOCK)
class HdfsContractTest extends FileStoreContract {
  @RegisterExtension static final MiniDfs DFS = new MiniDfs();

  private final URI root = DFS.newRoot();

  @Override
  protected FileStore openStore() throws IOException {
    return DFS.open(root);
  }

  @Override
  protected FileStore openAgain() throws IOException {
    return DFS.open(root);
  }

  /** HDFS has no colons in names. */
  @Override
  protected List<String> unusualNames() {
    return super.unusualNames().stream().filter(name -> !name.contains(":")).toList();
  }
}
