package io.stele.datasets.shard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.spotify.sparkey.HashType;
import com.spotify.sparkey.IndexHeader;
import com.spotify.sparkey.LogHeader;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.LocalFileStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sparkey's own reader on indexes of ours. */
class ShardIndexTest {
  private static final int LONGEST = 9; // so that there are keys of every length modulo 4

  @TempDir private Path root;

  private final Map<Bytes, Bytes> expected = new HashMap<>();

  private Path file() {
    return root.resolve("shard.spl");
  }

  private ShardReader reader() throws IOException {
    try (LocalFileStore store = LocalFileStore.open(root)) {
      return ShardReader.open(
          file(),
          Checksums.withBlocks(store, FilePath.of("shard.spl")).blocks(),
          root.resolve("shard.spi"),
          Checksums.withBlocks(store, FilePath.of("shard.spi")).blocks());
    }
  }

  private static byte[] bytes(SplittableRandom random, int longest) {
    byte[] made = new byte[random.nextInt(longest + 1)];
    random.nextBytes(made);
    return made;
  }

  /** Writes random entries, many of the short keys more than once, and makes the index. */
  private SparkeyPair.Finished write(int entries, int seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    try (SparkeyPair pair = new SparkeyPair(file(), random.nextInt())) {
      for (int i = 0; i < entries; i++) {
        byte[] key = bytes(random, LONGEST);
        byte[] value = bytes(random, 200);
        pair.put(key, value);
        expected.put(Bytes.of(key), Bytes.of(value));
      }
      return pair.finish();
    }
  }

  private void indexByLibrary(HashType hash, SparkeyWriter.ConstructionMethod how)
      throws IOException {
    try (SparkeyWriter writer = Sparkey.append(file().toFile())) {
      writer.setConstructionMethod(how);
      writer.setHashType(hash);
      writer.writeHash();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 10, 1_000, 100_000})
  void everyKeyIsFoundWithItsLastValueAndNoOther(int entries) throws Exception {
    SparkeyPair.Finished finished = write(entries, entries + 1);
    assertThat(finished.keys()).isEqualTo(expected.size());

    SplittableRandom random = new SplittableRandom(-1);
    try (SparkeyReader reader = Sparkey.open(file().toFile())) {
      for (Map.Entry<Bytes, Bytes> entry : expected.entrySet()) {
        assertThat(reader.getAsByteArray(entry.getKey().toArray()))
            .isEqualTo(entry.getValue().toArray());
      }
      ShardReader own = reader();
      for (Map.Entry<Bytes, Bytes> entry : expected.entrySet()) {
        assertThat(own.get(entry.getKey().toArray())).isEqualTo(entry.getValue().toArray());
      }
      for (int i = 0; i < 1_000; i++) {
        byte[] key = bytes(random, LONGEST + 3);
        assertThat(own.get(key) != null).isEqualTo(expected.containsKey(Bytes.of(key)));
        assertThat(reader.getAsByteArray(key) != null)
            .isEqualTo(expected.containsKey(Bytes.of(key)));
      }
      own.close();
    }
  }

  @Test
  void addressesOfLongLogsHave64Bits() throws Exception {
    write(10_000, 3);
    LogHeader head = Sparkey.getLogHeader(file().toFile());
    Path index = Sparkey.getIndexFile(file().toFile()).toPath();
    ShardLog.Summary summary =
        new ShardLog.Summary(
            head.getFileIdentifier(),
            head.getNumPuts(),
            head.getMaxKeyLen(),
            head.getMaxValueLen());
    SparkeyPair.Finished finished;
    try (EntryOrder order = new EntryOrder(file())) {
      order.finish();
      finished = ShardIndex.make(file(), summary, order, index, 0);
    }
    assertThat(finished.keys()).isEqualTo(expected.size());
    assertThat(Sparkey.getIndexHeader(index.toFile()).getAddressSize()).isEqualTo(Long.BYTES);
    try (SparkeyReader reader = Sparkey.open(file().toFile())) {
      ShardReader own = reader();
      for (Map.Entry<Bytes, Bytes> entry : expected.entrySet()) {
        byte[] value = entry.getValue().toArray();
        assertThat(reader.getAsByteArray(entry.getKey().toArray())).isEqualTo(value);
        assertThat(own.get(entry.getKey().toArray())).isEqualTo(value);
      }
      own.close();
    }
  }

  /** Readers of several files take turns in whatever way; nodes must agree on the outcome. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 1 << 20})
  void ofEntriesWithOneKeyTheLastOneOfTheLastFileCounts(long indexBytes) throws Exception {
    int files = 5;
    int entries = 50_000;
    SplittableRandom random = new SplittableRandom(7);
    Map<Bytes, String> latest = new HashMap<>();
    int[] next = new int[files];
    try (SparkeyPair pair = new SparkeyPair(file(), 77, indexBytes)) {
      while (Arrays.stream(next).sum() < files * entries) {
        int from = random.nextInt(files);
        int run = Math.min(random.nextInt(1, 200), entries - next[from]);
        for (int i = 0; i < run; i++) {
          byte[] key = Integer.toString(next[from] * 31 % 997).getBytes(UTF_8);
          String value = from + "/%06d".formatted(next[from]++);
          pair.put(from, key, value.getBytes(UTF_8));
          latest.merge(Bytes.of(key), value, (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
      }
      assertThat(pair.finish().keys()).isEqualTo(latest.size());
    }
    assertThat(latest.values()).allMatch(value -> value.startsWith("4/"));
    try (SparkeyReader reader = Sparkey.open(file().toFile())) {
      for (Map.Entry<Bytes, String> entry : latest.entrySet()) {
        assertThat(reader.getAsByteArray(entry.getKey().toArray()))
            .isEqualTo(entry.getValue().getBytes(UTF_8));
      }
    }
    assertThat(root.toFile().list()).containsExactlyInAnyOrder("shard.spl", "shard.spi");
  }

  @Test
  void itsHeadSaysWhatTheLibrarysWould() throws Exception {
    write(50_000, 1);
    IndexHeader ours = Sparkey.getIndexHeader(Sparkey.getIndexFile(file().toFile()));

    indexByLibrary(HashType.HASH_32_BITS, SparkeyWriter.ConstructionMethod.AUTO);
    IndexHeader theirs = Sparkey.getIndexHeader(Sparkey.getIndexFile(file().toFile()));
    assertThat(ours.getNumEntries()).isEqualTo(theirs.getNumEntries());
    assertThat(ours.getNumPuts()).isEqualTo(theirs.getNumPuts());
    assertThat(ours.getGarbageSize()).isEqualTo(theirs.getGarbageSize()).isPositive();
    assertThat(ours.getDataEnd()).isEqualTo(theirs.getDataEnd());
    assertThat(ours.getMaxKeyLen()).isEqualTo(theirs.getMaxKeyLen());
    assertThat(ours.getMaxValueLen()).isEqualTo(theirs.getMaxValueLen());
    assertThat(ours.getHashCapacity()).isEqualTo(theirs.getHashCapacity());
    assertThat(ours.getSlotSize()).isEqualTo(theirs.getSlotSize());
    assertThat(ours.getMaxDisplacement()).as("with another seed").isBetween(1L, 300L);
  }

  /** As of a log whose index takes more memory than one is given. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void indexesOfTheLibraryAreReadToo(boolean sorted) throws Exception {
    write(20_000, 3);
    indexByLibrary(
        HashType.HASH_32_BITS,
        sorted
            ? SparkeyWriter.ConstructionMethod.SORTING
            : SparkeyWriter.ConstructionMethod.IN_MEMORY);
    ShardReader own = reader();
    for (Map.Entry<Bytes, Bytes> entry : expected.entrySet()) {
      assertThat(own.get(entry.getKey().toArray())).isEqualTo(entry.getValue().toArray());
    }
    own.close();
  }

  @Test
  void anIndexOfAnotherFormIsRefused() throws Exception {
    write(10, 4);
    indexByLibrary(HashType.HASH_64_BITS, SparkeyWriter.ConstructionMethod.AUTO);
    assertThatThrownBy(this::reader)
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("32 bits");
  }

  @Test
  void whatItSaysOfTheFilesIsTrue() throws Exception {
    SparkeyPair.Finished finished = write(5_000, 2);
    try (LocalFileStore store = LocalFileStore.open(root)) {
      assertThat(finished.log()).isEqualTo(Checksums.of(store, FilePath.of("shard.spl")));
      assertThat(finished.index()).isEqualTo(Checksums.of(store, FilePath.of("shard.spi")));
    }
  }

  @Test
  void whatIsTooLargeIsLeftToTheLibrary() {
    assertThat(ShardIndex.fits(1_000, 20_000)).isTrue();
    assertThat(ShardIndex.fits(1_000, 10_000)).isFalse();
    assertThat(ShardIndex.fits(Integer.MAX_VALUE, Long.MAX_VALUE))
        .as("slots of an array")
        .isFalse();
  }
}
