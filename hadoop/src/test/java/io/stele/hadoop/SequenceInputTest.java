package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.LocalFileStore;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInput;
import io.stele.base.input.RecordInputProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every file here is written by Hadoop itself. */
class SequenceInputTest {
  private static final FilePath FILE = FilePath.of("part-r-00000");

  private static final Configuration CONFIGURATION = new Configuration();

  @TempDir private Path directory;
  private final RecordInputProvider provider = new SequenceInputProvider();

  static Stream<Arguments> packings() {
    List<Arguments> all = new ArrayList<>();
    all.add(Arguments.of(CompressionType.NONE, DefaultCodec.class));
    for (CompressionType type : List.of(CompressionType.RECORD, CompressionType.BLOCK)) {
      for (Class<? extends CompressionCodec> codec :
          List.of(
              DefaultCodec.class,
              DeflateCodec.class,
              SnappyCodec.class,
              Lz4Codec.class,
              GzipCodec.class)) {
        all.add(Arguments.of(type, codec));
      }
    }
    return all.stream();
  }

  private void write(
      CompressionType type,
      Class<? extends CompressionCodec> codec,
      Class<? extends Writable> kind,
      List<Map.Entry<Writable, Writable>> records)
      throws IOException {
    Files.deleteIfExists(directory.resolve(FILE.value()));
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            CONFIGURATION,
            SequenceFile.Writer.file(
                new org.apache.hadoop.fs.Path(directory.resolve(FILE.value()).toUri())),
            SequenceFile.Writer.keyClass(kind),
            SequenceFile.Writer.valueClass(kind),
            SequenceFile.Writer.compression(
                type, ReflectionUtils.newInstance(codec, CONFIGURATION)))) {
      for (Map.Entry<Writable, Writable> record : records) {
        writer.append(record.getKey(), record.getValue());
      }
    }
  }

  private List<Map.Entry<Bytes, Bytes>> read() throws IOException {
    List<Map.Entry<Bytes, Bytes>> records = new ArrayList<>();
    try (FileStore store = LocalFileStore.open(directory);
        RecordInput input = provider.open(store, FILE, directory.resolve("scratch"))) {
      while (input.next()) {
        records.add(Map.entry(Bytes.wrap(input.key()), Bytes.wrap(input.value())));
      }
    }
    return records;
  }

  /** Keys with slashes and all bytes there are, one twice, empty ones, and a value of 1 MB. */
  private static List<Map.Entry<Bytes, Bytes>> records() {
    SplittableRandom random = new SplittableRandom(1);
    List<Map.Entry<Bytes, Bytes>> records = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] value = new byte[random.nextInt(200)];
      random.nextBytes(value);
      records.add(Map.entry(Bytes.utf8("a/key/" + i + "/ü"), Bytes.wrap(value)));
    }
    byte[] large = new byte[1 << 20];
    random.nextBytes(large);
    records.add(Map.entry(Bytes.utf8("large"), Bytes.wrap(large)));
    records.add(Map.entry(Bytes.utf8("twice"), Bytes.utf8("1")));
    records.add(Map.entry(Bytes.utf8("twice"), Bytes.utf8("2")));
    records.add(Map.entry(Bytes.EMPTY, Bytes.EMPTY));
    return records;
  }

  private static BytesWritable bytes(Bytes bytes) {
    // Of more capacity than content, as its users leave it.
    BytesWritable writable = new BytesWritable();
    writable.setCapacity(bytes.length() + 50);
    writable.set(bytes.toArray(), 0, bytes.length());
    return writable;
  }

  @ParameterizedTest
  @MethodSource("packings")
  void bytesComeBackInEveryPacking(CompressionType type, Class<? extends CompressionCodec> codec)
      throws Exception {
    List<Map.Entry<Bytes, Bytes>> records = new ArrayList<>(records());
    records.add(Map.entry(Bytes.of((byte) 0xff, (byte) 0, (byte) '/'), Bytes.of((byte) 0x80)));
    List<Map.Entry<Writable, Writable>> written = new ArrayList<>();
    records.forEach(r -> written.add(Map.entry(bytes(r.getKey()), bytes(r.getValue()))));
    write(type, codec, BytesWritable.class, written);
    assertThat(read()).isEqualTo(records);
  }

  @ParameterizedTest
  @MethodSource("packings")
  void textComesBackInEveryPacking(CompressionType type, Class<? extends CompressionCodec> codec)
      throws Exception {
    List<Map.Entry<Bytes, Bytes>> records =
        List.of(
            Map.entry(Bytes.utf8("a/b"), Bytes.utf8("ß")),
            Map.entry(Bytes.utf8("日本"), Bytes.utf8("x".repeat(1 << 20))),
            Map.entry(Bytes.utf8(""), Bytes.utf8("")));
    List<Map.Entry<Writable, Writable>> written = new ArrayList<>();
    records.forEach(
        r ->
            written.add(Map.entry(new Text(r.getKey().toUtf8()), new Text(r.getValue().toUtf8()))));
    write(type, codec, Text.class, written);
    assertThat(read()).isEqualTo(records);
  }

  @ParameterizedTest
  @MethodSource("packings")
  void aFileWithoutRecordsHasNone(CompressionType type, Class<? extends CompressionCodec> codec)
      throws Exception {
    write(type, codec, Text.class, List.of());
    assertThat(read()).isEmpty();
  }

  @Test
  void otherClassesComeAsTheyWereSerialized() throws Exception {
    write(
        CompressionType.BLOCK,
        DefaultCodec.class,
        IntWritable.class,
        List.of(Map.entry(new IntWritable(258), new IntWritable(-1))));
    Bytes minusOne = Bytes.of((byte) -1, (byte) -1, (byte) -1, (byte) -1);
    assertThat(read())
        .containsExactly(Map.entry(Bytes.of((byte) 0, (byte) 0, (byte) 1, (byte) 2), minusOne));
  }

  @ParameterizedTest
  @MethodSource("packings")
  void aFileThatWasCutOffFailsWithItsName(
      CompressionType type, Class<? extends CompressionCodec> codec) throws Exception {
    List<Map.Entry<Writable, Writable>> written = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      written.add(Map.entry(new Text("key" + i), new Text("value " + i)));
    }
    write(type, codec, Text.class, written);
    byte[] whole = Files.readAllBytes(directory.resolve(FILE.value()));
    for (int cut = 1; cut < 12; cut += 3) {
      Files.write(directory.resolve(FILE.value()), Arrays.copyOf(whole, whole.length - cut));
      assertThatThrownBy(this::read)
          .isInstanceOf(BrokenInputException.class)
          .hasMessageContaining(FILE.value());
    }
    Files.write(directory.resolve(FILE.value()), Arrays.copyOf(whole, 20));
    assertThatThrownBy(this::read)
        .isInstanceOf(BrokenInputException.class)
        .hasMessageContaining(FILE.value());
  }

  @Test
  void aBlockThatWasCutOffAnywhereIsNoEnd() throws Exception {
    write(CompressionType.BLOCK, DefaultCodec.class, Text.class, List.of());
    int head = Math.toIntExact(Files.size(directory.resolve(FILE.value())));
    List<Map.Entry<Writable, Writable>> written = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      written.add(Map.entry(new Text("key" + i), new Text("value " + i)));
    }
    write(CompressionType.BLOCK, DefaultCodec.class, Text.class, written);
    byte[] whole = Files.readAllBytes(directory.resolve(FILE.value()));
    for (int length = head + 1; length < whole.length; length++) {
      Files.write(directory.resolve(FILE.value()), Arrays.copyOf(whole, length));
      assertThatThrownBy(this::read)
          .as("cut off at " + length)
          .isInstanceOf(BrokenInputException.class)
          .hasMessageContaining(FILE.value());
    }
  }

  /** What a checksum of the packing or the form itself can find: never another exception. */
  @ParameterizedTest
  @MethodSource("packings")
  void aDamagedFileFailsAsSuchOrIsRead(
      CompressionType type, Class<? extends CompressionCodec> codec) throws Exception {
    List<Map.Entry<Writable, Writable>> written = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      written.add(Map.entry(new Text("key" + i), new Text("value " + i)));
    }
    write(type, codec, Text.class, written);
    byte[] whole = Files.readAllBytes(directory.resolve(FILE.value()));
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 10; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(directory.resolve(FILE.value()), damaged);
      try {
        assertThat(read()).hasSizeLessThanOrEqualTo(20);
      } catch (BrokenInputException e) {
        assertThat(e).hasMessageContaining(FILE.value());
      }
    }
  }

  /** Hadoop cannot write one here either: the codec's name is changed in a file of another. */
  @Test
  void zstandardIsReadOrRefusedWithWhatWouldBeRead() throws Exception {
    write(CompressionType.BLOCK, DefaultCodec.class, Text.class, List.of());
    Path file = directory.resolve(FILE.value());
    String before = name(DefaultCodec.class);
    String head = Files.readString(file, StandardCharsets.ISO_8859_1);
    assertThat(head).contains(before);
    Files.writeString(
        file, head.replace(before, name(ZStandardCodec.class)), StandardCharsets.ISO_8859_1);
    if (ZStandardCodec.isNativeCodeLoaded()) {
      assertThat(read()).isEmpty();
    } else {
      assertThatThrownBy(this::read)
          .isInstanceOf(BrokenInputException.class)
          .hasMessageContaining(FILE.value())
          .hasMessageContaining("needs Hadoop's native library")
          .hasMessageContaining("gzip, snappy and lz4");
    }
  }

  /** As it stands in a file: a length, and the name. */
  private static String name(Class<?> codec) {
    return (char) codec.getName().length() + codec.getName();
  }

  @Test
  void filesAreKnownByTheirFirstBytes() {
    assertThat(provider.reads("any", new byte[] {'S', 'E', 'Q', 6, 0})).isTrue();
    assertThat(provider.reads("any.seq", new byte[] {'P', 'K', 3, 4})).isFalse();
    assertThat(provider.reads("any.seq", new byte[0])).isFalse();
    assertThat(ServiceLoader.load(RecordInputProvider.class))
        .anyMatch(found -> found instanceof SequenceInputProvider);
  }
}
