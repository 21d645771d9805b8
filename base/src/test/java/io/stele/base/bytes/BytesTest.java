package io.stele.base.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.time.RandomSource;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class BytesTest {
  private static final int ROUNDS = 5_000;

  @Test
  void itNeverSharesAnArrayExceptTheWrappedOne() {
    byte[] array = {1, 2, 3};
    Bytes of = Bytes.of(array);
    Bytes copy = Bytes.copyOf(array, 1, 2);
    array[1] = 9;
    assertThat(of.toArray()).containsExactly(1, 2, 3);
    assertThat(copy.toArray()).containsExactly(2, 3);
    of.toArray()[0] = 9;
    assertThat(of.at(0)).isEqualTo((byte) 1);
    assertThat(Bytes.wrap(array).at(1)).isEqualTo((byte) 9);
  }

  @Test
  void emptyIsEmptyHoweverItIsMade() {
    assertThat(Bytes.EMPTY)
        .isEqualTo(Bytes.of())
        .isEqualTo(Bytes.utf8(""))
        .isEqualTo(Bytes.copyOf(new byte[4], 4, 0))
        .isEqualTo(Bytes.wrap(new byte[0]));
    assertThat(Bytes.EMPTY.isEmpty()).isTrue();
    assertThat(Bytes.utf8("a").isEmpty()).isFalse();
  }

  @Test
  void orderIsThatOfUnsignedBytesAndAgreesWithEquals() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      Bytes left = randomBytes(random);
      Bytes right = randomBytes(random);
      String what = "seed " + seed + ": " + left + " and " + right;
      int expected = naiveOrder(left, right);
      assertThat(Integer.signum(left.compareTo(right))).as(what).isEqualTo(expected);
      assertThat(Integer.signum(right.compareTo(left))).as(what).isEqualTo(-expected);
      assertThat(left.equals(right)).as(what).isEqualTo(expected == 0);
      if (expected == 0) {
        assertThat(left).as(what).hasSameHashCodeAs(right);
      }

      byte[] slice = new byte[right.length() + 5];
      random.nextBytes(slice);
      right.copyTo(slice, 2);
      assertThat(Integer.signum(left.compareTo(slice, 2, right.length()))).isEqualTo(expected);
      assertThat(left.compareTo(slice, 2, right.length()) == 0).isEqualTo(left.equals(right));
    }
  }

  @Test
  void nothingLiesBetweenAByteStringAndItsSuccessor() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      Bytes value = randomBytes(random);
      Bytes other = randomBytes(random);
      Bytes next = value.successor();
      String what = "seed " + seed + ": " + value + " and " + other;
      assertThat(next).as(what).isGreaterThan(value);
      assertThat(other.compareTo(value) > 0).as(what).isEqualTo(other.compareTo(next) >= 0);
    }
  }

  @Test
  void prefixEndIsTheFirstByteStringBehindAllWithThePrefix() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      Bytes prefix = randomBytes(random);
      Bytes other = random.nextBoolean() ? randomBytes(random) : prefix.concat(randomBytes(random));
      Bytes end = prefix.prefixEnd();
      boolean inside = other.compareTo(prefix) >= 0 && (end == null || other.compareTo(end) < 0);
      assertThat(inside)
          .as("seed %d: %s in [%s, %s)", seed, other, prefix, end)
          .isEqualTo(other.startsWith(prefix));
    }
    assertThat(Bytes.EMPTY.prefixEnd()).isNull();
    assertThat(Bytes.of((byte) -1, (byte) -1).prefixEnd()).isNull();
    assertThat(Bytes.of((byte) 7, (byte) -1).prefixEnd()).isEqualTo(Bytes.of((byte) 8));
  }

  @Test
  void concatPutsOneBehindTheOther() {
    assertThat(Bytes.utf8("ab").concat(Bytes.utf8("cd"))).isEqualTo(Bytes.utf8("abcd"));
    assertThat(Bytes.utf8("ab").concat(Bytes.EMPTY)).isEqualTo(Bytes.utf8("ab"));
  }

  @Test
  void textIsReadableAndUnambiguous() {
    assertThat(Bytes.utf8("row-1 é\\x00\n")).hasToString("row-1 \\xc3\\xa9\\x5cx00\\x0a");
    assertThat(Bytes.utf8("é").toUtf8()).isEqualTo("é");
    for (int b = 0; b < 256; b++) {
      String text = Bytes.of((byte) b).toString();
      int back = text.length() == 1 ? text.charAt(0) : Integer.parseInt(text.substring(2), 16);
      assertThat(back).as(text).isEqualTo(b);
    }
  }

  @Test
  void fixedNumbersAreReadBackAtAnyOffsetAndTouchOnlyTheirBytes() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      byte[] array = new byte[20];
      Arrays.fill(array, (byte) 0x55);
      int at = random.nextInt(12);
      long value = random.nextLong();

      Binary.putLong(array, at, value);
      assertThat(Binary.getLong(array, at)).as("seed %d", seed).isEqualTo(value);
      assertThat(array[at]).as("lowest first").isEqualTo((byte) value);
      assertOnlyTouched(array, at, 8);

      Binary.putLongBigEndian(array, at, value);
      assertThat(Binary.getLongBigEndian(array, at)).as("seed %d", seed).isEqualTo(value);
      assertThat(array[at + 7]).as("lowest last").isEqualTo((byte) value);
      assertOnlyTouched(array, at, 8);

      Arrays.fill(array, (byte) 0x55);
      Binary.putInt(array, at, (int) value);
      assertThat(Binary.getInt(array, at)).as("seed %d", seed).isEqualTo((int) value);
      assertThat(array[at]).as("lowest first").isEqualTo((byte) value);
      assertOnlyTouched(array, at, 4);
    }
    assertThatThrownBy(() -> Binary.getLong(new byte[8], 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void varintsTakeSevenBitsAByte() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      long value = anyLong(RandomSource.seeded(seed));
      byte[] array = new byte[12];
      int end = Binary.putVarint(array, 1, value);

      BigInteger unsigned = new BigInteger(Long.toUnsignedString(value));
      int expected = Math.max(1, (unsigned.bitLength() + 6) / 7);
      assertThat(end - 1).as("seed %d: %d", seed, value).isEqualTo(expected);
      assertThat(Binary.varintLength(value)).as("seed %d: %d", seed, value).isEqualTo(expected);
      BigInteger decoded = BigInteger.ZERO;
      for (int i = end - 1; i >= 1; i--) {
        assertThat(array[i] < 0).as("continued").isEqualTo(i < end - 1);
        decoded = decoded.shiftLeft(7).or(BigInteger.valueOf(array[i] & 0x7f));
      }
      assertThat(decoded).as("seed %d", seed).isEqualTo(unsigned);
    }
  }

  @Test
  void prefixesOrderAsTheirBytesDoWhereTheyDiffer() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      Bytes left = randomBytes(random);
      Bytes right = randomBytes(random);
      long leftPrefix = Binary.prefix(left.toArray(), 0, left.length());
      long rightPrefix = Binary.prefix(right.toArray(), 0, right.length());
      if (leftPrefix != rightPrefix) {
        assertThat(Long.compareUnsigned(leftPrefix, rightPrefix) < 0)
            .as("seed %d: %s and %s", seed, left, right)
            .isEqualTo(left.compareTo(right) < 0);
      } else {
        // Equal prefixes: equal in the first eight bytes, but for zeros at the end.
        byte[] l = Arrays.copyOf(left.toArray(), 8);
        byte[] r = Arrays.copyOf(right.toArray(), 8);
        assertThat(l).as("seed %d", seed).isEqualTo(r);
      }
    }
  }

  @Test
  void theChecksumIsTheCastagnoliOne() {
    byte[] digits = Bytes.utf8("--123456789--").toArray();
    assertThat(Crc32c.of(digits, 2, 9)).isEqualTo(0xE306_9283);
    assertThat(Crc32c.of(digits, 0, 0)).isZero();
  }

  private static void assertOnlyTouched(byte[] array, int at, int length) {
    for (int i = 0; i < array.length; i++) {
      if (i < at || i >= at + length) {
        assertThat(array[i]).isEqualTo((byte) 0x55);
      }
    }
  }

  private static int naiveOrder(Bytes left, Bytes right) {
    for (int i = 0; i < Math.min(left.length(), right.length()); i++) {
      int order = Integer.compare(left.at(i) & 0xff, right.at(i) & 0xff);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(left.length(), right.length());
  }

  /** Few different bytes, so that equal strings, prefixes and runs of FF are frequent. */
  private static Bytes randomBytes(RandomGenerator random) {
    byte[] alphabet = {0, 1, 0x7f, (byte) 0x80, (byte) 0xff, (byte) 0xff};
    byte[] bytes = new byte[random.nextBoolean() ? random.nextInt(4) : random.nextInt(12)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = alphabet[random.nextInt(alphabet.length)];
    }
    return Bytes.of(bytes);
  }

  private static long anyLong(RandomGenerator random) {
    return random.nextLong() >>> random.nextInt(64);
  }
}
