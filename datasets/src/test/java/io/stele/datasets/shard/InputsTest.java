package io.stele.datasets.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyWriter;
import io.stele.base.file.FilePath;
import io.stele.base.file.LocalFileStore;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InputsTest {
  @TempDir private Path root;
  private int scratches;

  private Map<String, String> read(String name) throws IOException {
    Map<String, String> records = new TreeMap<>();
    try (LocalFileStore store = LocalFileStore.open(root);
        RecordInput input =
            InputKinds.onClassPath()
                .kindOf(store, FilePath.of(name))
                .open(store, FilePath.of(name), root.resolve("scratch" + scratches++))) {
      while (input.next()) {
        records.put(
            new String(input.key(), StandardCharsets.ISO_8859_1),
            new String(input.value(), StandardCharsets.ISO_8859_1));
      }
    }
    return records;
  }

  private void write(String name, String text) throws IOException {
    Files.write(root.resolve(name), text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream output = new GZIPOutputStream(packed)) {
      output.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    return packed.toByteArray();
  }

  @Test
  void textIsTakenByteByByte() throws Exception {
    String large = "x".repeat(1 << 20);
    write(
        "a.tsv", "k/1\tv\twith\ttabs\n\t empty key\nlarge\t" + large + "\n\u00ff\u0080\t\r\nk\t\n");
    assertThat(read("a.tsv"))
        .isEqualTo(
            Map.of(
                "k/1",
                "v\twith\ttabs",
                "",
                " empty key",
                "large",
                large,
                "\u00ff\u0080",
                "\r",
                "k",
                ""));
  }

  @Test
  void theLastLineMayGoWithoutALineFeed() throws Exception {
    write("a.txt", "a\t1\nb\t2");
    assertThat(read("a.txt")).isEqualTo(Map.of("a", "1", "b", "2"));
    write("empty.tsv", "");
    assertThat(read("empty.tsv")).isEmpty();
  }

  @Test
  void aLineWithoutATabIsAnErrorThatNamesIt() throws Exception {
    write("a.tsv", "a\t1\n\nb\t2\n");
    assertThatThrownBy(() -> read("a.tsv"))
        .isInstanceOf(BrokenInputException.class)
        .hasMessageContaining("a.tsv")
        .hasMessageContaining("line 2");
  }

  @Test
  void gzipIsUnpackedAndItsDamageFound() throws Exception {
    byte[] packed = gzip("a\t1\nb\t2\n");
    byte[] both = Arrays.copyOf(packed, packed.length + gzip("c\t3\n").length);
    System.arraycopy(gzip("c\t3\n"), 0, both, packed.length, both.length - packed.length);
    Files.write(root.resolve("a.tsv.gz"), both);
    assertThat(read("a.tsv.gz")).isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    for (int length = 1; length < packed.length; length++) {
      Files.write(root.resolve("a.tsv.gz"), Arrays.copyOf(packed, length));
      assertThatThrownBy(() -> read("a.tsv.gz"))
          .as("cut off at " + length)
          .isInstanceOf(BrokenInputException.class)
          .hasMessageContaining("a.tsv.gz");
    }
    byte[] damaged = packed.clone();
    damaged[packed.length - 6] ^= 1; // its checksum
    Files.write(root.resolve("a.tsv.gz"), damaged);
    assertThatThrownBy(() -> read("a.tsv.gz")).isInstanceOf(BrokenInputException.class);
  }

  @ParameterizedTest
  @EnumSource
  void sparkeyLogsAreReadAsTheirReaderWould(CompressionType packing) throws Exception {
    try (SparkeyWriter writer = Sparkey.createNew(root.resolve("a.spl").toFile(), packing, 1_024)) {
      for (int i = 0; i < 300; i++) {
        writer.put("key" + i, "value" + i);
      }
      writer.put("key7", "again");
    }
    Map<String, String> plain = read("a.spl");
    assertThat(plain).hasSize(300).containsEntry("key7", "again").containsEntry("key8", "value8");
    try (SparkeyWriter writer = Sparkey.append(root.resolve("a.spl").toFile())) {
      writer.delete("key8");
    }
    assertThat(read("a.spl")).hasSize(299).doesNotContainKey("key8");
  }

  @ParameterizedTest
  @EnumSource
  void aSparkeyLogThatIsCutOffOrDamagedFailsAsSuch(CompressionType packing) throws Exception {
    Path file = root.resolve("a.spl");
    try (SparkeyWriter writer = Sparkey.createNew(file.toFile(), packing, 64)) {
      for (int i = 0; i < 30; i++) {
        writer.put("key" + i, "value" + i);
      }
    }
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length += 29) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> read("a.spl"))
          .as("cut off at " + length)
          .isInstanceOf(BrokenInputException.class)
          .hasMessageContaining("a.spl");
    }
    byte[] damaged = whole.clone();
    damaged[84] = 0x7f; // the length of the first key, or of the first block
    Files.write(file, damaged);
    assertThatThrownBy(() -> read("a.spl"))
        .isInstanceOf(BrokenInputException.class)
        .hasMessageContaining("a.spl");
  }

  @Test
  void aFileOfNoKnownKindIsRefusedWithThoseThatAre() throws Exception {
    write("part-00000", "what is this");
    assertThatThrownBy(() -> read("part-00000"))
        .isInstanceOf(BrokenInputException.class)
        .hasMessageContaining("part-00000")
        .hasMessageContaining("Sparkey")
        .hasMessageContaining("tab-separated text");
  }
}
