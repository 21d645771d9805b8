package io.stele.datasets.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.ReadableFile;
import io.stele.base.time.RandomSource;
import io.stele.datasets.version.VersionWriter;
import io.stele.datasets.version.VersionWriter.Format;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written is served, and declared files are read for their shard alone, but checked. */
class VersionWriterTest {
  @TempDir private Path data;

  private VersionWriter writer(TestCluster cluster, String version, int shards, Format format)
      throws IOException {
    return VersionWriter.create(
        cluster.source,
        TestCluster.SET,
        version,
        shards,
        format,
        data.resolve("scratch"),
        RandomSource.seeded(1));
  }

  private void write(TestCluster cluster, String version, int shards, Format format)
      throws IOException {
    try (VersionWriter writer = writer(cluster, version, shards, format)) {
      for (int i = 0; i < 200; i++) {
        writer.put(Bytes.utf8("k" + i), Bytes.utf8(version + ":" + i));
      }
      VersionWriter.Summary summary = writer.finish();
      assertThat(summary.records()).isEqualTo(200);
      assertThat(summary.shards()).isEqualTo(shards);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aVersionIsWrittenAndServed(Format format) throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1).with(TestCluster.settings(1, 1))) {
      write(cluster, "v1", 4, format);
      for (TestCluster.Member node : cluster.start(2)) {
        assertThat(node.node.list()).isEmpty();
      }
      cluster.settle();
      for (TestCluster.Member node : cluster.members.values()) {
        assertThat(node.shards("v1")).hasSize(2);
        for (int i = 0; i < 200; i++) {
          assertThat(node.ask("k" + i)).isEqualTo("v1:" + i);
        }
        assertThat(node.ask("none")).isEqualTo("missing in v1");
        // Two of four files, of about the same size.
        var progress =
            node.node.ownStatus().getFirst().versions().getFirst().nodes().getFirst().progress();
        assertThat(progress.records()).isBetween(60L, 140L);
        assertThat(progress.bytes()).isEqualTo(progress.totalBytes());
        assertThat(progress.shardsDone()).isEqualTo(2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nobodyLoadsAVersionBeforeItIsWhole(Format format) throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1).with(TestCluster.settings(1, 1))) {
      TestCluster.Member node = cluster.start("n1:1");
      try (VersionWriter writer = writer(cluster, "v1", 4, format)) {
        for (int i = 0; i < 200; i++) {
          writer.put(Bytes.utf8("k" + i), Bytes.utf8("v1:" + i));
        }
        // As it is half-way through finish(): some files are there.
        cluster.source.replace(
            FilePath.of(TestCluster.SET + "/v1/part-00009.tsv"), "k\tv\n".getBytes(UTF_8));
        cluster.refresh();
        assertThat(node.state("v1")).isEmpty();
        cluster.source.delete(FilePath.of(TestCluster.SET + "/v1/part-00009.tsv"));
        writer.finish();
      }
      cluster.refresh();
      assertThat(node.ask("k7")).isEqualTo("v1:7");
      assertThat(cluster.source.list(FilePath.of(TestCluster.SET + "/v1")))
          .extracting(file -> file.path().name())
          .doesNotContain("_unfinished");
    }
  }

  @Test
  void sparkeyHoldsAnyBytesAndTextSaysWhatItCannotHold() throws Exception {
    Bytes odd = Bytes.of((byte) '\t', (byte) '\n', (byte) 0xff, (byte) '/');
    try (TestCluster cluster = new TestCluster(data, 1)) {
      try (VersionWriter writer = writer(cluster, "v1", 3, Format.TEXT)) {
        assertThatThrownBy(() -> writer.put(odd, Bytes.EMPTY))
            .isInstanceOf(InvalidRequestException.class)
            .hasMessageContaining("\\x09\\x0a\\xff/")
            .hasMessageContaining("Sparkey");
        assertThatThrownBy(() -> writer.put(Bytes.utf8("k"), Bytes.utf8("a\nb")))
            .isInstanceOf(InvalidRequestException.class)
            .hasMessageContaining("value");
      }
      assertThat(cluster.source.list(FilePath.of("scores/v1"))).isEmpty();
      try (VersionWriter writer = writer(cluster, "v1", 3, Format.SPARKEY)) {
        writer.put(odd, odd);
        writer.put(Bytes.EMPTY, Bytes.EMPTY);
        writer.finish();
      }
      TestCluster.Member node = cluster.start("n1:1");
      cluster.settle();
      assertThat(node.node.get("scores", odd))
          .isInstanceOfSatisfying(
              Lookup.Found.class, found -> assertThat(found.value()).isEqualTo(odd));
      assertThat(node.ask("")).isEmpty();
    }
  }

  @Test
  void aVersionThatIsThereIsNotWrittenAgain() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      write(cluster, "v1", 2, Format.TEXT);
      assertThatThrownBy(() -> writer(cluster, "v1", 2, Format.TEXT))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("v1");
      assertThatThrownBy(() -> writer(cluster, "_v", 2, Format.TEXT))
          .isInstanceOf(InvalidRequestException.class);
      assertThatThrownBy(() -> writer(cluster, "v2", 0, Format.TEXT))
          .isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void withoutFinishNothingStays() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      for (Format format : Format.values()) {
        try (VersionWriter writer = writer(cluster, "v1", 2, format)) {
          writer.put(Bytes.utf8("k"), Bytes.utf8("v"));
        }
        assertThat(cluster.source.list(FilePath.of("scores/v1"))).isEmpty();
      }
    }
  }

  @Test
  void aRecordInTheWrongShardFailsTheVersionAndNamesIt() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      write(cluster, "v1", 2, Format.TEXT);
      String one = "scores/v1/part-00000.tsv";
      String two = "scores/v1/part-00001.tsv";
      cluster.source.rename(FilePath.of(one), FilePath.of("scores/v1/swap"));
      cluster.source.rename(FilePath.of(two), FilePath.of(one));
      cluster.source.rename(FilePath.of("scores/v1/swap"), FilePath.of(two));
      TestCluster.Member node = cluster.start("n1:1");
      cluster.settle();
      assertThat(node.serving()).isEmpty();
      assertThat(node.reason("v1")).contains("part-0000").contains("shard").contains("declared");
    }
  }

  @Test
  void anIndexThatIsNotTheDeclaredOneFailsTheVersion() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      write(cluster, "v1", 2, Format.SPARKEY);
      FilePath index = FilePath.of("scores/v1/part-00001.spi");
      cluster.source.corrupt(index, (cluster.source.stat(index).orElseThrow().length() - 3) * 8);
      TestCluster.Member node = cluster.start("n1:1");
      cluster.settle();
      assertThat(node.serving()).isEmpty();
      assertThat(node.reason("v1")).contains("part-00001.spi").contains("CRC32C");
    }
  }

  private static String text(TestCluster cluster, FilePath path) throws IOException {
    try (ReadableFile file = cluster.source.open(path)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      return new String(content, UTF_8);
    }
  }

  /** Both are whole and sound, and declared to be each other's shard. */
  @Test
  void aLogOfAnotherShardFailsTheVersionAndNamesTheKey() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      write(cluster, "v1", 2, Format.SPARKEY);
      FilePath manifest = FilePath.of("scores/v1/_stele.json");
      String declared = text(cluster, manifest);
      String swapped =
          declared
              .replace("\"shard\": 0", "\"shard\": 2")
              .replace("\"shard\": 1", "\"shard\": 0")
              .replace("\"shard\": 2", "\"shard\": 1");
      assertThat(swapped).isNotEqualTo(declared);
      cluster.source.replace(manifest, swapped.getBytes(UTF_8));
      TestCluster.Member node = cluster.start("n1:1");
      cluster.settle();
      assertThat(node.serving()).isEmpty();
      assertThat(node.reason("v1"))
          .contains(".spl")
          .contains("key \"k")
          .contains("belongs to shard")
          .contains("declared to hold shard");
    }
  }

  @Test
  void whatTheManifestDeclaresIsChecked() throws Exception {
    for (Format format : Format.values()) {
      try (TestCluster cluster = new TestCluster(data.resolve(format.name()), 1)) {
        write(cluster, "v1", 2, format);
        String name = "part-00001" + (format == Format.TEXT ? ".tsv" : ".spl");
        FilePath file = FilePath.of("scores/v1/" + name);
        long length = cluster.source.stat(file).orElseThrow().length();
        // In a value, where neither form would notice.
        cluster.source.corrupt(file, (length - 3) * 8);
        TestCluster.Member node = cluster.start("n1:1");
        cluster.settle();
        assertThat(node.serving()).isEmpty();
        assertThat(node.reason("v1")).contains(name).contains("CRC32C");
      }
    }
  }

  @Test
  void textThatIsCutOffAtALineIsFoundByItsManifest() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      write(cluster, "v1", 1, Format.TEXT);
      FilePath file = FilePath.of("scores/v1/part-00000.tsv");
      long length = cluster.source.stat(file).orElseThrow().length();
      cluster.source.truncate(file, length - "k199\tv1:199\n".length());
      TestCluster.Member node = cluster.start("n1:1");
      cluster.settle();
      assertThat(node.serving()).isEmpty();
      assertThat(node.reason("v1")).contains("199 records").contains("200 records");
    }
  }
}
