package io.stele.base.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.time.RandomSource;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class QuantityTest {
  @Test
  void sizesAreReadInEveryUnit() {
    assertThat(ByteSize.parse("0B")).isEqualTo(new ByteSize(0));
    assertThat(ByteSize.parse("17B")).isEqualTo(new ByteSize(17));
    assertThat(ByteSize.parse("64KiB"))
        .isEqualTo(ByteSize.ofKiB(64))
        .isEqualTo(new ByteSize(65_536));
    assertThat(ByteSize.parse("3 MiB")).isEqualTo(ByteSize.ofMiB(3));
    assertThat(ByteSize.parse("2GiB")).isEqualTo(ByteSize.ofGiB(2));
    assertThat(ByteSize.parse("1TiB")).isEqualTo(ByteSize.ofGiB(1_024));
  }

  @Test
  void sizesAreShownInTheLargestUnitThatIsExact() {
    assertThat(new ByteSize(0)).hasToString("0B");
    assertThat(new ByteSize(1_023)).hasToString("1023B");
    assertThat(new ByteSize(1_024)).hasToString("1KiB");
    assertThat(new ByteSize(1_025)).hasToString("1025B");
    assertThat(ByteSize.ofKiB(1_536)).hasToString("1536KiB");
    assertThat(ByteSize.ofGiB(4_096L * 1_024)).hasToString("4096TiB");
  }

  @Test
  void sizesCompareByBytesAndKnowWhatAnArrayCanHold() {
    assertThat(ByteSize.ofKiB(1)).isLessThan(ByteSize.ofMiB(1));
    assertThat(ByteSize.ofMiB(1).toInt()).isEqualTo(1 << 20);
    assertThatThrownBy(() -> ByteSize.ofGiB(2).toInt())
        .hasMessage("size of 2GiB, at most 2147483647B");
    assertThatThrownBy(() -> new ByteSize(-1)).hasMessage("size of -1 bytes, at least 0");
  }

  @Test
  void timesAreReadInEveryUnit() {
    assertThat(DurationText.parse("5ns")).isEqualTo(Duration.ofNanos(5));
    assertThat(DurationText.parse("5us")).isEqualTo(Duration.ofNanos(5_000));
    assertThat(DurationText.parse("5ms")).isEqualTo(Duration.ofMillis(5));
    assertThat(DurationText.parse("5s")).isEqualTo(Duration.ofSeconds(5));
    assertThat(DurationText.parse("5m")).isEqualTo(Duration.ofMinutes(5));
    assertThat(DurationText.parse("5h")).isEqualTo(Duration.ofHours(5));
    assertThat(DurationText.parse("5 d")).isEqualTo(Duration.ofDays(5));
  }

  @Test
  void timesAreShownInTheLargestUnitThatIsExact() {
    assertThat(DurationText.format(Duration.ZERO)).isEqualTo("0s");
    assertThat(DurationText.format(Duration.ofMillis(1_500))).isEqualTo("1500ms");
    assertThat(DurationText.format(Duration.ofMinutes(2))).isEqualTo("2m");
    assertThat(DurationText.format(Duration.ofDays(7))).isEqualTo("7d");
    assertThat(DurationText.format(Duration.ofNanos(1))).isEqualTo("1ns");
  }

  @Test
  void whatIsShownIsReadBack() {
    for (long seed = 0; seed < 2_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      long number = random.nextLong() >>> (1 + random.nextInt(63)) << random.nextInt(30) >>> 1;
      ByteSize size = new ByteSize(number);
      assertThat(ByteSize.parse(size.toString())).as("seed %d", seed).isEqualTo(size);
      Duration time = Duration.ofNanos(number);
      assertThat(DurationText.parse(DurationText.format(time))).as("seed %d", seed).isEqualTo(time);
    }
  }

  @Test
  void textThatIsNoQuantityIsRefusedWithTheFormThatWouldBeRight() {
    for (String bad : List.of("", "KiB", "64", "64KB", "64kib", "-1KiB", "1.5MiB", "9 9B", "１B")) {
      assertThatThrownBy(() -> ByteSize.parse(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("\"" + bad + "\" is not a size such as 64KiB (units B, KiB, MiB, GiB, TiB)");
    }
    for (String bad :
        List.of("", "s", "5", "5min", "-5s", "5S", "1h30m", "99999999999999999999s")) {
      assertThatThrownBy(() -> DurationText.parse(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("\"" + bad + "\" is not a time such as 5s (units ns, us, ms, s, m, h, d)");
    }
    assertThatThrownBy(() -> ByteSize.parse("8388608TiB"))
        .hasMessage("\"8388608TiB\" is too large");
    assertThatThrownBy(() -> DurationText.parse("106752d")).hasMessage("\"106752d\" is too large");
  }
}
