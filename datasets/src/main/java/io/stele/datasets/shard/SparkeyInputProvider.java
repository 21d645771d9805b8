package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.input.RecordInput;
import io.stele.base.input.RecordInputProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads Sparkey logs ({@code .spl}), packed or not. Their indexes ({@code .spi}, {@code .spi.sz})
 * may lie beside them; they say nothing that the log does not, so they are not read.
 */
public final class SparkeyInputProvider implements RecordInputProvider {
  @Override
  public String kind() {
    return "Sparkey (.spl)";
  }

  @Override
  public boolean reads(String name, byte[] head) {
    return name.endsWith(".spl");
  }

  @Override
  public Optional<String> additionTo(String name) {
    for (String ending : new String[] {".spi", ".spi.sz"}) {
      if (name.endsWith(ending)) {
        return Optional.of(name.substring(0, name.length() - ending.length()) + ".spl");
      }
    }
    return Optional.empty();
  }

  @Override
  public RecordInput open(FileStore store, FilePath path, Path scratch) throws IOException {
    return SparkeyInput.open(store, path, scratch);
  }
}
