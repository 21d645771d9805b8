package io.stele.replicas.metadata;

import static io.stele.replicas.metadata.MetadataSamples.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.testkit.golden.FormatFile;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MetadataFileTest {
  private static final Metadata SMALL =
      Metadata.first("tab", "txn", "part", List.of(on("s1", "a1"), on("s2", "a2")));

  private static final Metadata LARGE =
      new Metadata(
          "tab",
          "txn",
          300,
          List.of(
              new Partition(
                  "p1",
                  Bytes.EMPTY,
                  Optional.of(Bytes.of((byte) 0, (byte) 0xff)),
                  List.of(on("s1", "a1")),
                  List.of(
                      new Partition.Joining(on("s2", "a2"), Optional.of("a1")),
                      new Partition.Joining(on("s3", "a3"), Optional.empty())),
                  Optional.empty()),
              new Partition(
                  "p2",
                  Bytes.of((byte) 0, (byte) 0xff),
                  Optional.empty(),
                  List.of(on("s1", "a4"), on("größe", "a5")),
                  List.of(),
                  Optional.of(MetadataSamples.split("m", "n", "s1", "s2")))));

  @Test
  void readsWhatItWrote() {
    for (Metadata metadata : List.of(SMALL, LARGE)) {
      assertThat(MetadataFile.decode("f", MetadataFile.encode(metadata))).isEqualTo(metadata);
    }
  }

  /** Files of version 1, which are read for ever. */
  @Test
  void filesOfVersion1() {
    Map.of("metadata-v1.bin", LARGE, "metadata-of-new-table-v1.bin", SMALL)
        .forEach(
            (name, metadata) -> {
              byte[] stored = FormatFile.read(name, MetadataFile.encode(metadata).toArray());
              assertThat(MetadataFile.decode(name, Bytes.wrap(stored))).isEqualTo(metadata);
            });
  }

  @Test
  void everyFlippedBitIsFound() {
    byte[] good = MetadataFile.encode(LARGE).toArray();
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> MetadataFile.decode("the-file", Bytes.of(bad)))
          .as("bit %d", bit)
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("the-file at offset")
          .hasMessageContaining("expected")
          .hasMessageContaining("found");
    }
  }

  @Test
  void everyOtherLengthIsFound() {
    byte[] good = MetadataFile.encode(LARGE).toArray();
    for (int length = 0; length < good.length + 3; length++) {
      byte[] bad = Arrays.copyOf(good, length);
      if (length != good.length) {
        assertThatThrownBy(() -> MetadataFile.decode("f", Bytes.of(bad)))
            .as("length %d", length)
            .isInstanceOf(CorruptDataException.class);
      }
    }
  }

  @Test
  void checksumsAreNamed() {
    byte[] bad = MetadataFile.encode(SMALL).toArray();
    bad[bad.length - 1] ^= 1;
    assertThatThrownBy(() -> MetadataFile.decode("f", Bytes.of(bad)))
        .hasMessageMatching(
            "corrupt data in f at offset "
                + (bad.length - 4)
                + ": expected CRC [0-9a-f]{8}, found [0-9a-f]{8}");
  }
}
