package io.stele.testkit.file;

import io.stele.base.file.CrashMode;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;

class MemoryFileStoreContractTest extends FileStoreContract {
  private final MemoryFileStore memory = new MemoryFileStore();

  @Override
  protected FileStore openStore() {
    return memory;
  }

  @Override
  protected FileStore openAgain() {
    return memory.crash(CrashMode.dropUnsynced());
  }
}
