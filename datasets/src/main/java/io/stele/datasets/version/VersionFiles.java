package io.stele.datasets.version;

import io.stele.base.input.RecordInputProvider;
import java.util.List;

/**
 * What a version consists of in the source.
 *
 * @param inputs by name; there are as many shards
 * @param kind of all of them
 * @param sharded whether each file is declared to hold one shard, and says which
 * @param finished whether its writer says that these are all files
 */
public record VersionFiles(
    String dataset,
    String version,
    List<InputFile> inputs,
    RecordInputProvider kind,
    boolean sharded,
    boolean finished) {
  public VersionFiles {
    inputs = List.copyOf(inputs);
  }

  public int shards() {
    return inputs.size();
  }
}
