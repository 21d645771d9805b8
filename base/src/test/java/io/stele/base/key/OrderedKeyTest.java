package io.stele.base.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class OrderedKeyTest {
  /** A kind of field: how to make, order, write and read it. */
  private enum Kind {
    BYTES {
      @Override
      Object random(RandomGenerator random) {
        // Few different bytes and short strings, so that prefixes and zeros meet often.
        byte[] alphabet = {0, 1, 2, (byte) 0xfe, (byte) 0xff, 'a'};
        byte[] value = new byte[random.nextInt(5)];
        for (int i = 0; i < value.length; i++) {
          value[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return Bytes.of(value);
      }

      @Override
      int compare(Object left, Object right) {
        return ((Bytes) left).compareTo((Bytes) right);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putBytes((Bytes) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readBytes();
      }
    },
    STRING {
      @Override
      Object random(RandomGenerator random) {
        int[] alphabet = {0, 1, 'a', 'b', 0xe9, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
          text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
        }
        return text.toString();
      }

      @Override
      int compare(Object left, Object right) {
        int[] l = ((String) left).codePoints().toArray();
        int[] r = ((String) right).codePoints().toArray();
        return Arrays.compare(l, r);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putString((String) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readString();
      }
    },
    BYTE {
      @Override
      Object random(RandomGenerator random) {
        return random.nextInt(256);
      }

      @Override
      int compare(Object left, Object right) {
        return Integer.compare((int) left, (int) right);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putByte((int) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readByte();
      }
    },
    UNSIGNED {
      @Override
      int compare(Object left, Object right) {
        return Long.compareUnsigned((long) left, (long) right);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putUnsigned((long) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readUnsigned();
      }
    },
    UNSIGNED_DESCENDING {
      @Override
      int compare(Object left, Object right) {
        return Long.compareUnsigned((long) right, (long) left);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putUnsignedDescending((long) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readUnsignedDescending();
      }
    },
    SIGNED {
      @Override
      int compare(Object left, Object right) {
        return Long.compare((long) left, (long) right);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putSigned((long) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readSigned();
      }
    },
    SIGNED_DESCENDING {
      @Override
      int compare(Object left, Object right) {
        return Long.compare((long) right, (long) left);
      }

      @Override
      void write(OrderedKeyWriter writer, Object value) {
        writer.putSignedDescending((long) value);
      }

      @Override
      Object read(OrderedKeyReader reader) throws Malformed {
        return reader.readSignedDescending();
      }
    };

    Object random(RandomGenerator random) {
      long[] edges = {0, 1, -1, 255, 256, Long.MAX_VALUE, Long.MIN_VALUE};
      return random.nextBoolean() ? random.nextLong() : edges[random.nextInt(edges.length)];
    }

    abstract int compare(Object left, Object right);

    abstract void write(OrderedKeyWriter writer, Object value);

    abstract Object read(OrderedKeyReader reader) throws Malformed;
  }

  @Test
  void theOrderOfKeysIsTheOrderOfTheirFields() {
    for (long seed = 0; seed < 20_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      List<Kind> kinds = randomKinds(random);
      List<Object> left = randomFields(kinds, random);
      // Often the same first fields, so that later ones decide.
      List<Object> right = randomFields(kinds, random);
      int shared = random.nextInt(kinds.size() + 1);
      for (int i = 0; i < shared; i++) {
        right.set(i, left.get(i));
      }

      int expected = Integer.signum(order(kinds).compare(left, right));
      int actual = Integer.signum(key(kinds, left).compareTo(key(kinds, right)));
      assertThat(actual)
          .as("seed %d: %s of %s and %s", seed, kinds, left, right)
          .isEqualTo(expected);
    }
  }

  @Test
  void whatWasWrittenIsReadBack() throws Malformed {
    for (long seed = 0; seed < 20_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      List<Kind> kinds = randomKinds(random);
      List<Object> fields = randomFields(kinds, random);

      OrderedKeyReader reader = new OrderedKeyReader(key(kinds, fields));
      List<Object> read = new ArrayList<>();
      for (Kind kind : kinds) {
        read.add(kind.read(reader));
      }
      reader.expectEnd();
      assertThat(read).as("seed %d: %s", seed, kinds).isEqualTo(fields);
    }
  }

  @Test
  void anyBytesAreReadOrMalformedAndNothingOutsideTheSliceIsLookedAt() {
    int malformed = 0;
    for (long seed = 0; seed < 50_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      List<Kind> kinds = randomKinds(random);
      byte[] key = mutated(key(kinds, randomFields(kinds, random)).toArray(), random);
      // The slice ends with the array: a read behind it would be out of bounds.
      byte[] array = new byte[3 + key.length];
      System.arraycopy(key, 0, array, 3, key.length);
      OrderedKeyReader reader = new OrderedKeyReader(array, 3, key.length);
      List<Object> read = new ArrayList<>();
      try {
        for (Kind kind : kinds) {
          read.add(kind.read(reader));
        }
        reader.expectEnd();
        // One key for one tuple: what can be read at all is what would be written.
        assertThat(key(kinds, read)).as("seed %d", seed).isEqualTo(Bytes.of(key));
      } catch (Malformed e) {
        malformed++;
        assertThat(e.offset()).as("seed %d", seed).isBetween(0, key.length);
      }
    }
    assertThat(malformed).isBetween(1_000, 49_000);
  }

  @Test
  void errorsNameWhatWasFound() {
    assertThatThrownBy(() -> new OrderedKeyWriter().putString("ab\ud800c"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageEndingWith("unpaired surrogate at character 2");
    assertThatThrownBy(() -> new OrderedKeyWriter().putString("\udc00"))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> new OrderedKeyWriter().putByte(256))
        .hasMessage("key byte of 256, must be 0 to 255");
    assertThatThrownBy(() -> reader('a', 0, 2).readBytes())
        .hasMessage("key bytes with 00 before 2, only 01 or FF may follow, at byte 3");
    assertThatThrownBy(() -> reader('a', 0).readBytes())
        .isInstanceOf(Malformed.class)
        .hasMessageContaining("but 0 left at byte 2");
    assertThatThrownBy(() -> reader(0xc3, 0, 1).readString())
        .hasMessage("key text \\xc3 is not UTF-8, before its end at byte 3");
    assertThatThrownBy(() -> reader(1, 2, 3).readSigned()).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> reader(1).expectEnd())
        .hasMessage("1 bytes behind the last field of a key at byte 0");
  }

  @Test
  void aWriterCanAppendToABuilder() throws Malformed {
    ByteBuilder builder = new ByteBuilder(1).putByte(7);
    new OrderedKeyWriter(builder).putBytes(new byte[] {9, 0, 9}, 1, 2);
    assertThat(builder.toBytes())
        .isEqualTo(Bytes.of((byte) 7, (byte) 0, (byte) -1, (byte) 9, (byte) 0, (byte) 1));
    OrderedKeyReader reader = new OrderedKeyReader(builder.array(), 1, builder.length() - 1);
    assertThat(reader.readBytes()).isEqualTo(Bytes.of((byte) 0, (byte) 9));
    assertThat(reader.remaining()).isZero();
  }

  private static OrderedKeyReader reader(int... bytes) {
    ByteBuilder builder = new ByteBuilder(bytes.length);
    for (int b : bytes) {
      builder.putByte(b);
    }
    return new OrderedKeyReader(builder.toBytes());
  }

  private static List<Kind> randomKinds(RandomGenerator random) {
    List<Kind> kinds = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      kinds.add(Kind.values()[random.nextInt(Kind.values().length)]);
    }
    return kinds;
  }

  private static List<Object> randomFields(List<Kind> kinds, RandomGenerator random) {
    List<Object> fields = new ArrayList<>();
    kinds.forEach(kind -> fields.add(kind.random(random)));
    return fields;
  }

  private static Comparator<List<Object>> order(List<Kind> kinds) {
    return (left, right) -> {
      for (int i = 0; i < kinds.size(); i++) {
        int order = kinds.get(i).compare(left.get(i), right.get(i));
        if (order != 0) {
          return order;
        }
      }
      return 0;
    };
  }

  private static Bytes key(List<Kind> kinds, List<Object> fields) {
    OrderedKeyWriter writer = new OrderedKeyWriter();
    for (int i = 0; i < kinds.size(); i++) {
      kinds.get(i).write(writer, fields.get(i));
    }
    return writer.toBytes();
  }

  private static byte[] mutated(byte[] key, RandomGenerator random) {
    byte[] mutated =
        random.nextBoolean() ? key : Arrays.copyOf(key, random.nextInt(key.length + 3));
    if (mutated.length > 0) {
      mutated[random.nextInt(mutated.length)] = (byte) (random.nextInt(4) - 2);
    }
    return mutated;
  }
}
