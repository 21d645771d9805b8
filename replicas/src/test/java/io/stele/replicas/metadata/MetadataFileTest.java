package io.stele.replicas.metadata;

import static io.stele.replicas.metadata.MetadataSamples.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
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

  @Test
  void bytesOfVersionOneStayWhatTheyAre() {
    String hex =
        "534d4554012000000003746162" // SMET, version, length; table
            + "0374786e" // transaction
            + "0101" // sequence, partitions
            + "0470617274" // id
            + "0000" // from the first row to the last
            + "02" // members
            + "02733102613102733202613200" // and nobody who joins
            + "00"; // no split
    byte[] file = MetadataFile.encode(SMALL).toArray();
    // Its last four bytes are the checksum of all that is before them.
    assertThat(HexFormat.of().formatHex(file, 0, file.length - 4)).isEqualTo(hex);
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
