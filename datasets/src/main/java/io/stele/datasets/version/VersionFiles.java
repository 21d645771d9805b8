package io.stele.datasets.version;

import io.stele.base.input.RecordInputProvider;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
  /** {@code part-00000}, {@code part-r-00000.snappy}, {@code part-00000-UUID.tsv}. */
  private static final Pattern NUMBERED =
      Pattern.compile("part-(?:[a-z]-)?([0-9]{1,8})(?:[^0-9].*)?");

  public VersionFiles {
    inputs = List.copyOf(inputs);
  }

  public int shards() {
    return inputs.size();
  }

  /**
   * The shard that each input would hold if the job that wrote it had sharded it as nodes do, by
   * the number in its name; empty if not all are numbered, from 0 on, and each once.
   */
  public List<Integer> numbers() {
    List<Integer> numbers = new ArrayList<>();
    BitSet seen = new BitSet();
    for (InputFile input : inputs) {
      Matcher name = NUMBERED.matcher(input.path().name());
      int number = name.matches() ? Integer.parseInt(name.group(1)) : -1;
      if (number < 0 || number >= inputs.size() || seen.get(number)) {
        return List.of();
      }
      seen.set(number);
      numbers.add(number);
    }
    return numbers;
  }
}
