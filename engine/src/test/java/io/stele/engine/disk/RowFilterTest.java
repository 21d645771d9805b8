package io.stele.engine.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RowFilterTest {
  private static final int ABSENT = 100_000;

  static Stream<Arguments> keys() {
    IntFunction<Bytes> numbers = i -> Bytes.utf8("%012d".formatted(i));
    IntFunction<Bytes> names = i -> Bytes.utf8("user/" + Integer.toString(i, 36) + "/profile");
    IntFunction<Bytes> binary =
        i -> Bytes.of((byte) (i >>> 24), (byte) (i >>> 16), (byte) (i >>> 8), (byte) i);
    IntFunction<Bytes> random =
        i -> {
          RandomGenerator source = RandomSource.seeded(i);
          byte[] key = new byte[1 + source.nextInt(60)];
          source.nextBytes(key);
          return Bytes.wrap(key).concat(Bytes.utf8("" + i));
        };
    IntFunction<Bytes> zeros = i -> Bytes.wrap(new byte[1 + i]);
    return Stream.of(
        Arguments.of("numbers", numbers, 20_000),
        Arguments.of("numbers", numbers, 300),
        Arguments.of("names", names, 20_000),
        Arguments.of("names", names, 1_000),
        Arguments.of("binary", binary, 5_000),
        Arguments.of("random", random, 5_000),
        Arguments.of("zeros", zeros, 500));
  }

  @ParameterizedTest(name = "{2} {0}")
  @MethodSource("keys")
  void everyRowPassesAndHardlyAnyOther(String name, IntFunction<Bytes> keys, int count) {
    RowFilter filter = filter(keys, count);

    for (int i = 0; i < count; i++) {
      assertThat(mayContain(filter, keys.apply(i))).as("row %d", i).isTrue();
    }
    int absent = name.equals("zeros") ? 5_000 : ABSENT;
    int passed = 0;
    for (int i = count; i < count + absent; i++) {
      passed += mayContain(filter, keys.apply(i)) ? 1 : 0;
    }
    assertThat(passed / (double) absent).as("of absent rows pass").isLessThan(0.015);
  }

  @Test
  void aFilterOfOneRowKnowsItAlone() {
    RowFilter filter = filter(_ -> Bytes.utf8("only"), 1);

    assertThat(mayContain(filter, Bytes.utf8("only"))).isTrue();
    assertThat(mayContain(filter, Bytes.utf8("other"))).isFalse();
    assertThat(mayContain(filter, Bytes.EMPTY)).isFalse();
  }

  /** The hash is stored in files by its effect: it must never change. */
  @Test
  void theHashIsWhatItAlwaysWas() {
    assertThat(hash(Bytes.utf8(""))).isEqualTo(-8914856496838199839L);
    assertThat(hash(Bytes.utf8("a"))).isEqualTo(-7971907047127822659L);
    assertThat(hash(Bytes.utf8("12345678"))).isEqualTo(-7071202246274622572L);
    assertThat(hash(Bytes.utf8("the quick brown fox"))).isEqualTo(-8463337660023077080L);
  }

  @Test
  void theHashDependsOnTheBytesOfTheSliceAndNothingElse() {
    byte[] array = "....user/17/profile....".getBytes(StandardCharsets.US_ASCII);

    assertThat(RowFilter.hash(array, 4, 15)).isEqualTo(hash(Bytes.utf8("user/17/profile")));
  }

  private static long hash(Bytes row) {
    return RowFilter.hash(row.toArray(), 0, row.length());
  }

  private static boolean mayContain(RowFilter filter, Bytes row) {
    return filter.mayContain(hash(row));
  }

  private static RowFilter filter(IntFunction<Bytes> keys, int count) {
    RowFilter.Builder builder = new RowFilter.Builder();
    for (int i = 0; i < count; i++) {
      Bytes key = keys.apply(i);
      builder.add(key.toArray(), 0, key.length());
    }
    ByteBuilder content = builder.finish();
    return new RowFilter(content.array(), content.length());
  }
}
