package io.stele.base.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ByteReaderTest {
  /** One field of each kind that the builder writes and the reader reads. */
  private enum Kind {
    BYTE,
    INT,
    LONG,
    VARINT,
    SIZED
  }

  @Test
  void whatTheBuilderWroteIsReadBack() throws Malformed {
    for (long seed = 0; seed < 5_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      ByteBuilder builder = new ByteBuilder(0);
      List<Kind> kinds = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        kinds.add(Kind.values()[random.nextInt(Kind.values().length)]);
        values.add(write(builder, kinds.getLast(), random));
      }
      assertThat(builder.toBytes().length()).isEqualTo(builder.length());

      ByteReader reader = new ByteReader(builder.array(), 0, builder.length());
      List<Object> read = new ArrayList<>();
      for (Kind kind : kinds) {
        read.add(read(reader, kind));
      }
      assertThat(read).as("seed %d: %s", seed, kinds).isEqualTo(values);
      assertThat(reader.remaining()).as("seed %d", seed).isZero();
    }
  }

  @Test
  void anyBytesAreReadInsideTheSliceOrMalformed() {
    int malformed = 0;
    for (long seed = 0; seed < 100_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      byte[] array = new byte[random.nextInt(30)];
      random.nextBytes(array);
      int offset = random.nextInt(array.length + 1);
      int length = random.nextInt(array.length - offset + 1);
      ByteReader reader = new ByteReader(array, offset, length);
      try {
        for (int i = 0; i < 10; i++) {
          read(reader, Kind.values()[random.nextInt(Kind.values().length)]);
          assertThat(reader.position()).as("seed %d", seed).isBetween(offset, offset + length);
          assertThat(reader.position() + reader.remaining()).isEqualTo(offset + length);
        }
      } catch (Malformed e) {
        malformed++;
        assertThat(e.offset()).as("seed %d", seed).isBetween(0, length);
      }
    }
    assertThat(malformed).isGreaterThan(10_000);
  }

  @Test
  void errorsNameWhatWasWantedAndWhatWasThere() {
    assertThatThrownBy(() -> reader(1, 2).readInt())
        .hasMessage("a 4-byte number of 4 bytes but 2 left at byte 0");
    assertThatThrownBy(() -> reader().readByte())
        .hasMessage("a byte of 1 bytes but 0 left at byte 0");
    assertThatThrownBy(() -> reader(5, 'a').readSized("row"))
        .hasMessage("row of 5 bytes but 1 left at byte 1");
    assertThatThrownBy(() -> reader(1).skip(-1, "value"))
        .hasMessage("value of -1 bytes but 1 left at byte 0");
    assertThat(reader(1, 2, 3).malformed("bad kind")).hasMessage("bad kind at byte 0");
  }

  @Test
  void aVarintEndsWithinSixtyFourBits() throws Malformed {
    int[] largest = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    assertThat(reader(largest).readVarint()).isEqualTo(-1L);
    int[] tooLarge = largest.clone();
    tooLarge[9] = 0x02;
    assertThatThrownBy(() -> reader(tooLarge).readVarint())
        .hasMessageStartingWith("varint longer than 64 bits");
    int[] tooLong = largest.clone();
    tooLong[9] = 0x81;
    assertThatThrownBy(() -> reader(tooLong).readVarint())
        .hasMessageStartingWith("varint longer than 64 bits");
    assertThatThrownBy(() -> reader(largest).readVarint(100, "length"))
        .hasMessage("length of 18446744073709551615, at most 100 at byte 0");
    assertThat(reader(100).readVarint(100, "length")).isEqualTo(100);
  }

  @Test
  void aSliceOutsideItsArrayIsRefused() {
    assertThatThrownBy(() -> new ByteReader(new byte[4], 2, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new ByteReader(new byte[4], -1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void theBuilderGrowsIsCutBackAndCleared() {
    ByteBuilder builder = new ByteBuilder(1);
    byte[] chunk = new byte[100];
    for (int i = 0; i < 1_000; i++) {
      chunk[0] = (byte) i;
      builder.put(chunk, 0, chunk.length);
    }
    assertThat(builder.length()).isEqualTo(100_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(builder.array()[i * 100]).isEqualTo((byte) i);
    }
    builder.setLength(3);
    assertThat(builder.toArray()).containsExactly(0, 0, 0);
    builder.clear();
    assertThat(builder.toBytes()).isEqualTo(Bytes.EMPTY);
    int at = builder.reserve(5);
    builder.array()[at + 4] = 7;
    builder.setLength(at + 5);
    assertThat(builder.toArray()[4]).isEqualTo((byte) 7);
  }

  @Test
  void theBuilderSaysWhatItCannotHold() {
    ByteBuilder builder = new ByteBuilder(16).putLong(1);
    assertThatThrownBy(() -> builder.reserve(Integer.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("byte builder of 8 bytes cannot grow by 2147483647: limit is 2 GiB");
    assertThat(builder.length()).isEqualTo(8);
  }

  private static Object write(ByteBuilder builder, Kind kind, RandomGenerator random) {
    long number = random.nextLong() >>> random.nextInt(64);
    return switch (kind) {
      case BYTE -> {
        builder.putByte((int) number);
        yield (int) number & 0xff;
      }
      case INT -> {
        builder.putInt((int) number);
        yield (int) number;
      }
      case LONG -> {
        builder.putLong(number);
        yield number;
      }
      case VARINT -> {
        builder.putVarint(number);
        yield number;
      }
      case SIZED -> {
        byte[] array = new byte[random.nextInt(300)];
        random.nextBytes(array);
        builder.putSized(Bytes.of(array));
        yield Bytes.of(array);
      }
    };
  }

  private static Object read(ByteReader reader, Kind kind) throws Malformed {
    return switch (kind) {
      case BYTE -> reader.readByte();
      case INT -> reader.readInt();
      case LONG -> reader.readLong();
      case VARINT -> reader.readVarint();
      case SIZED -> reader.readSized("value");
    };
  }

  private static ByteReader reader(int... bytes) {
    ByteBuilder builder = new ByteBuilder(bytes.length);
    for (int b : bytes) {
      builder.putByte(b);
    }
    return new ByteReader(builder.array(), 0, builder.length());
  }
}
