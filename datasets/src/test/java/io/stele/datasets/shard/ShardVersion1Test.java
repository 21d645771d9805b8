package io.stele.datasets.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.file.FilePath;
import io.stele.base.file.LocalFileStore;
import io.stele.testkit.golden.FormatFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shard of version 1 on a node's disk: manifest, log and index. It is read for ever. */
class ShardVersion1Test {
  private static final FilePath VERSION = FilePath.of("set/v1");

  private static Map<String, String> records() {
    Map<String, String> records = new TreeMap<>();
    for (int i = 0; i < 20; i++) {
      records.put("key/" + i, "value " + i);
    }
    records.put("ü", "x".repeat(300));
    records.put("", "of the empty key");
    records.put("empty", "");
    return records;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void isReadAsItWasWritten(@TempDir Path root) throws Exception {
    try (LocalFileStore store = LocalFileStore.open(root)) {
      ShardWriter writer = new ShardWriter(store, root, VERSION, 3, 20, 77);
      for (Map.Entry<String, String> record : records().entrySet()) {
        writer.put(0, utf8(record.getKey()), utf8(record.getValue()));
      }
      ShardManifest manifest = writer.finish();
      List<FilePath> files =
          List.of(
              ShardFiles.manifest(VERSION, 3),
              ShardFiles.log(VERSION, 3),
              ShardFiles.index(VERSION, 3));
      for (FilePath file : files) {
        Path path = root.resolve(file.value());
        String name = file.name();
        String stored = "shard-v1" + name.substring(name.lastIndexOf('.'));
        Files.write(path, FormatFile.read(stored, Files.readAllBytes(path)));
      }
      byte[] stored = FormatFile.read("shard-v1.json", manifest.toBytes());
      assertThat(ShardManifest.parse("shard-v1.json", stored)).isEqualTo(manifest);
      Shard shard = Shard.open(store, root, VERSION, 3, 20);
      assertThat(shard.records()).isEqualTo(records().size());
      for (Map.Entry<String, String> record : records().entrySet()) {
        assertThat(shard.get(utf8(record.getKey()))).isEqualTo(utf8(record.getValue()));
      }
      assertThat(shard.get(utf8("absent"))).isNull();
      shard.retire();
    }
  }
}
