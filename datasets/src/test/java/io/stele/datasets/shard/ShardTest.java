package io.stele.datasets.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.LocalFileStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardTest {
  private static final FilePath VERSION = FilePath.of("set/v1");

  @TempDir private Path root;
  private LocalFileStore store;

  @BeforeEach
  void open() throws IOException {
    store = LocalFileStore.open(root);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private ShardWriter writer() throws IOException {
    return new ShardWriter(store, root, VERSION, 3, 20, 77);
  }

  private Shard reopen() throws IOException {
    return Shard.open(store, root, VERSION, 3, 20);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Slashes, non-ASCII bytes, nothing at all, and a megabyte. */
  private static Map<Bytes, byte[]> records() {
    SplittableRandom random = new SplittableRandom(3);
    Map<Bytes, byte[]> records = new LinkedHashMap<>();
    for (int i = 0; i < 500; i++) {
      byte[] value = new byte[random.nextInt(300)];
      random.nextBytes(value);
      records.put(Bytes.utf8("a/b/" + i), value);
    }
    byte[] large = new byte[1 << 20];
    random.nextBytes(large);
    records.put(Bytes.utf8("large"), large);
    records.put(Bytes.of((byte) 0xff, (byte) 0, (byte) '\n', (byte) '\t'), utf8("odd"));
    records.put(Bytes.EMPTY, utf8("of the empty key"));
    records.put(Bytes.utf8("ü/日本"), new byte[0]);
    return records;
  }

  @Test
  void whatWasPutIsFoundAgainAlsoAfterARestart() throws Exception {
    ShardWriter writer = writer();
    for (Map.Entry<Bytes, byte[]> record : records().entrySet()) {
      writer.put(0, record.getKey().toArray(), record.getValue());
    }
    ShardManifest manifest = writer.finish();
    for (Shard shard : List.of(Shard.open(store, root, VERSION, manifest), reopen())) {
      for (Map.Entry<Bytes, byte[]> record : records().entrySet()) {
        assertThat(shard.get(record.getKey().toArray())).isEqualTo(record.getValue());
      }
      assertThat(shard.get(utf8("no such key"))).isNull();
      assertThat(shard.records()).isEqualTo(records().size());
      shard.retire();
    }
  }

  @Test
  void ofAKeyThatIsPutTwiceOneValueStays() throws Exception {
    ShardWriter writer = writer();
    writer.put(0, utf8("key"), utf8("1"));
    writer.put(0, utf8("other"), utf8("x"));
    writer.put(0, utf8("key"), utf8("2"));
    writer.finish();
    Shard shard = reopen();
    assertThat(shard.get(utf8("key"))).isIn(utf8("1"), utf8("2"));
    assertThat(shard.records()).isEqualTo(2);
    shard.retire();
  }

  @Test
  void aShardMayBeEmpty() throws Exception {
    writer().finish();
    Shard shard = reopen();
    assertThat(shard.get(utf8("key"))).isNull();
    assertThat(shard.records()).isZero();
    shard.retire();
  }

  @Test
  void theLogIsWhatTheLibraryWouldHaveWritten() throws Exception {
    ShardWriter writer = writer();
    Path other = root.resolve("other.spl");
    try (SparkeyWriter library = Sparkey.createNew(other.toFile())) {
      for (Map.Entry<Bytes, byte[]> record : records().entrySet()) {
        writer.put(0, record.getKey().toArray(), record.getValue());
        library.put(record.getKey().toArray(), record.getValue());
      }
    }
    writer.finish();
    byte[] ours = Files.readAllBytes(root.resolve("set/v1/00003.spl"));
    byte[] theirs = Files.readAllBytes(other);
    ByteBuffer.wrap(theirs).putInt(12, ByteBuffer.wrap(ours).getInt(12)); // the file's id
    assertThat(ours).isEqualTo(theirs);
    try (SparkeyReader reader = Sparkey.open(root.resolve("set/v1/00003.spi").toFile())) {
      assertThat(reader.getAsByteArray(utf8("a/b/7")))
          .isEqualTo(records().get(Bytes.utf8("a/b/7")));
    }
  }

  @Test
  void everyDamagedByteIsFoundBeforeItIsServed() throws Exception {
    ShardWriter writer = writer();
    for (int i = 0; i < 20; i++) {
      writer.put(0, utf8("key" + i), utf8("value" + i));
    }
    writer.finish();
    for (String name : List.of("00003.spl", "00003.spi", "00003.json")) {
      Path file = root.resolve("set/v1").resolve(name);
      byte[] whole = Files.readAllBytes(file);
      for (int i = 0; i < whole.length; i += name.endsWith("json") ? 1 : 7) {
        byte[] damaged = whole.clone();
        damaged[i] ^= 0x10;
        Files.write(file, damaged);
        if (name.endsWith("json") && sameMeaning(damaged, whole)) {
          continue;
        }
        assertThatThrownBy(this::reopen)
            .as(name + " byte " + i)
            .isInstanceOf(CorruptDataException.class)
            .hasMessageContaining("set/v1/00003.");
      }
      Files.write(file, Arrays.copyOf(whole, whole.length - 1));
      assertThatThrownBy(this::reopen).isInstanceOf(CorruptDataException.class);
      Files.write(file, whole);
    }
    reopen().retire();
  }

  /** Changes a file in place, under those that have mapped it. */
  private void flipBit(String name, long at) throws IOException {
    Path file = root.resolve("set/v1").resolve(name);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 0x10)).flip();
      channel.write(one, at);
    }
  }

  @Test
  void everyBitThatIsLostAfterOpeningIsFoundBeforeItIsServed() throws Exception {
    ShardWriter writer = writer();
    writer.put(0, utf8("key"), utf8("value"));
    writer.put(0, utf8("other"), utf8("x"));
    writer.finish();
    for (String name : List.of("00003.spl", "00003.spi")) {
      long length = Files.size(root.resolve("set/v1").resolve(name));
      for (long at = 0; at < length; at++) {
        Shard shard = reopen();
        flipBit(name, at);
        assertThatThrownBy(() -> shard.get(utf8("key")))
            .as(name + " byte " + at)
            .isInstanceOf(CorruptDataException.class)
            .hasMessageContaining("set/v1/" + name);
        flipBit(name, at);
        assertThat(shard.get(utf8("key"))).isEqualTo(utf8("value"));
        shard.retire();
      }
    }
  }

  @Test
  void aBlockIsComparedWhenItIsFirstReadAndAgainAfterThatWasForgotten() throws Exception {
    Map<Bytes, byte[]> records = records();
    ShardWriter writer = writer();
    for (Map.Entry<Bytes, byte[]> record : records.entrySet()) {
      writer.put(0, record.getKey().toArray(), record.getValue());
    }
    writer.finish();
    Shard shard = reopen();
    byte[] key = utf8("a/b/0"); // in the first block of the log
    assertThat(shard.look(key, false, 1 << 10)).isEqualTo(new ShardEntry.OnDisk());
    ShardEntry found = new ShardEntry.Value(Bytes.wrap(records.get(Bytes.wrap(key))));
    assertThat(shard.look(key, true, 1 << 10)).isEqualTo(found);
    assertThat(shard.look(key, false, 1 << 10)).isEqualTo(found);

    flipBit("00003.spl", 83); // the last byte of the head, which no lookup reads
    assertThat(shard.look(key, true, 1 << 10)).as("compared just now").isEqualTo(found);
    shard.forgetCompared();
    assertThat(shard.look(key, false, 1 << 10)).isEqualTo(new ShardEntry.OnDisk());
    assertThatThrownBy(() -> shard.look(key, true, 1 << 10))
        .isInstanceOf(CorruptDataException.class);
    shard.retire();
  }

  @Test
  void largeValuesAreReadInPiecesUpToOneThatIsDamaged() throws Exception {
    byte[] large = records().get(Bytes.utf8("large"));
    ShardWriter writer = writer();
    writer.put(0, utf8("large"), large);
    writer.finish();
    Shard shard = reopen();

    assertThat(shard.look(utf8("large"), true, large.length))
        .isEqualTo(new ShardEntry.Value(Bytes.wrap(large)));
    ShardEntry.Large whole = (ShardEntry.Large) shard.look(utf8("large"), true, large.length - 1);
    assertThat(whole.length()).isEqualTo(large.length);
    assertThat(whole.content().readAllBytes()).isEqualTo(large);

    shard.forgetCompared();
    flipBit("00003.spl", 500_000);
    ShardEntry.Large half = (ShardEntry.Large) shard.look(utf8("large"), true, 0);
    assertThat(half.content().readNBytes(400_000)).isEqualTo(Arrays.copyOf(large, 400_000));
    assertThatThrownBy(() -> half.content().readAllBytes())
        .isInstanceOf(CorruptDataException.class);
    shard.retire();
    assertThatThrownBy(() -> half.content().read()).isInstanceOf(IOException.class);
  }

  /** A manifest whose blanks or number of records differ leads to the same files. */
  private static boolean sameMeaning(byte[] damaged, byte[] whole) {
    try {
      ShardManifest one = ShardManifest.parse("", damaged);
      ShardManifest two = ShardManifest.parse("", whole);
      return one.log().equals(two.log())
          && one.index().equals(two.index())
          && one.shard() == two.shard()
          && one.shards() == two.shards();
    } catch (CorruptDataException e) {
      return false;
    }
  }

  @Test
  void withoutItsManifestThereIsNoShard() throws Exception {
    ShardWriter writer = writer();
    writer.put(0, utf8("key"), utf8("value"));
    assertThatThrownBy(this::reopen).isInstanceOf(NoSuchFileException.class);
    writer.finish();
    reopen().retire();
    // A second attempt takes the manifest away before it touches the log.
    writer();
    assertThatThrownBy(this::reopen).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void whatIsGivenUpLeavesNothing() throws Exception {
    ShardWriter writer = writer();
    writer.put(0, utf8("key"), utf8("value"));
    writer.abandon();
    assertThat(store.list(VERSION)).isEmpty();
  }

  @Test
  void theFilesMayGoBeforeTheShard() throws Exception {
    ShardWriter writer = writer();
    writer.put(0, utf8("key"), utf8("value"));
    Shard shard = Shard.open(store, root, VERSION, writer.finish());
    Files.delete(root.resolve("set/v1/00003.spl"));
    Files.delete(root.resolve("set/v1/00003.spi"));
    assertThat(shard.get(utf8("key"))).isEqualTo(utf8("value"));
    shard.retire();
    shard.retire();
    assertThatThrownBy(() -> shard.get(utf8("key"))).isInstanceOf(RetiredShardException.class);
  }

  @Test
  void retiringWaitsForNobodyAndLookupsAreRightUntilThen() throws Exception {
    ShardWriter writer = writer();
    for (int i = 0; i < 1_000; i++) {
      writer.put(0, utf8("key" + i), utf8("value" + i));
    }
    Shard shard = Shard.open(store, root, VERSION, writer.finish());
    CountDownLatch busy = new CountDownLatch(4);
    List<Future<Boolean>> tasks = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int t = 0; t < 4; t++) {
        tasks.add(
            threads.submit(
                () -> {
                  for (int i = 0; ; i = (i + 1) % 1_000) {
                    try {
                      if (!Arrays.equals(shard.get(utf8("key" + i)), utf8("value" + i))) {
                        return false;
                      }
                    } catch (RetiredShardException e) {
                      return true;
                    }
                    busy.countDown();
                  }
                }));
      }
      busy.await();
      shard.retire();
      for (Future<Boolean> task : tasks) {
        assertThat(task.get(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  @Test
  void manyThreadsLookUpAtOnce() throws Exception {
    ShardWriter writer = writer();
    for (int i = 0; i < 1_000; i++) {
      writer.put(0, utf8("key" + i), utf8("value" + i));
    }
    Shard shard = Shard.open(store, root, VERSION, writer.finish());
    List<Future<Boolean>> tasks = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int t = 0; t < 50; t++) {
        int seed = t;
        tasks.add(
            threads.submit(
                () -> {
                  SplittableRandom random = new SplittableRandom(seed);
                  for (int i = 0; i < 500; i++) {
                    int key = random.nextInt(1_100);
                    byte[] value = shard.get(utf8("key" + key));
                    if (!Arrays.equals(value, key < 1_000 ? utf8("value" + key) : null)) {
                      return false;
                    }
                  }
                  return true;
                }));
      }
      for (Future<Boolean> task : tasks) {
        assertThat(task.get()).isTrue();
      }
    }
    shard.retire();
  }
}
