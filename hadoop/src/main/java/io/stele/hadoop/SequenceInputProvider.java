package io.stele.hadoop;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.input.RecordInput;
import io.stele.base.input.RecordInputProvider;
import java.io.IOException;
import java.nio.file.Path;

/** Reads Hadoop's SequenceFiles, whatever they are called: they are known by their first bytes. */
public final class SequenceInputProvider implements RecordInputProvider {
  @Override
  public String kind() {
    return "SequenceFile";
  }

  @Override
  public boolean reads(String name, byte[] head) {
    return head.length > 3 && head[0] == 'S' && head[1] == 'E' && head[2] == 'Q';
  }

  @Override
  public RecordInput open(FileStore store, FilePath path, Path scratch) throws IOException {
    return SequenceInput.open(store, path);
  }
}
