package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.input.RecordInput;
import io.stele.base.input.RecordInputProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Reads tab-separated text: {@code .tsv} and {@code .txt}, packed with gzip or not. */
public final class TextInputProvider implements RecordInputProvider {
  private static final List<String> ENDINGS = List.of(".tsv", ".txt", ".tsv.gz", ".txt.gz");

  @Override
  public String kind() {
    return "tab-separated text (.tsv, .txt, .tsv.gz, .txt.gz)";
  }

  @Override
  public boolean reads(String name, byte[] head) {
    return ENDINGS.stream().anyMatch(name::endsWith);
  }

  @Override
  public RecordInput open(FileStore store, FilePath path, Path scratch) throws IOException {
    return TextInput.open(store, path);
  }
}
