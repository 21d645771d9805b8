package io.stele.datasets.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.input.BrokenInputException;
import io.stele.datasets.serve.Pin;
import io.stele.datasets.shard.ShardManifest;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of versions, in format 1: it is read for ever. */
class VersionFilesVersion1Test {
  @Test
  void whatAWriterDeclares() throws BrokenInputException {
    VersionManifest manifest =
        new VersionManifest(
            List.of(
                new VersionManifest.DeclaredFile(
                    "part-00000.tsv",
                    0,
                    10,
                    new ShardManifest.Content(123, 0x0badcafe),
                    Optional.empty()),
                new VersionManifest.DeclaredFile(
                    "part-00001.spl",
                    1,
                    5_000_000_000L,
                    new ShardManifest.Content(1L << 40, 0xfffffffe),
                    Optional.of(new ShardManifest.Content(120, 1)))));
    byte[] stored = FormatFile.read("version-manifest-v1.json", manifest.toBytes());
    assertThat(VersionManifest.parse("manifest", stored)).isEqualTo(manifest);
  }

  @Test
  void whatANodeDecided() {
    VersionRecord record = new VersionRecord(20, List.of(0, 3, 7), 1_750_000_000_000_000L);
    byte[] stored = FormatFile.read("version-record-v1.json", record.toBytes());
    assertThat(VersionRecord.parse("record", stored)).isEqualTo(record);
  }

  @Test
  void whatANodeServesAndWhatIsPinned(@TempDir Path directory) throws IOException {
    Map<String, String> pins =
        Map.of(
            "scores", new Pin(12, Optional.of("20261116")).text(),
            "names", new Pin(13, Optional.empty()).text());
    try (VersionStore store = VersionStore.open(directory)) {
      store.pins(pins);
      store.serve("scores", "2026-11-16_00=+");
      restore("pins-v1.json", directory.resolve(".pins.json"));
      restore("serving-v1.txt", directory.resolve("scores/_serving"));
      assertThat(store.pins()).isEqualTo(pins);
      assertThat(store.serving("scores")).contains("2026-11-16_00=+");
    }
    assertThat(Pin.parse(pins.get("scores"))).contains(new Pin(12, Optional.of("20261116")));
    assertThat(Pin.parse(pins.get("names"))).contains(new Pin(13, Optional.empty()));
  }

  /** Puts the checked-in file in place of the one that was just written. */
  private static void restore(String name, Path path) throws IOException {
    Files.write(path, FormatFile.read(name, Files.readAllBytes(path)));
  }
}
