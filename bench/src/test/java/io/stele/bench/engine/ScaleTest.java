package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ExhaustedException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleTest {

  @Test
  void aFullRunIsAsLargeAsItSays() {
    assertThat(Scale.FULL.records()).isGreaterThanOrEqualTo(2_000_000);
    assertThat(Scale.FULL.valueSizes()).containsExactly(100, 1024);
    assertThat(Scale.FULL.rounds()).isGreaterThanOrEqualTo(3);
    assertThat(Scale.FULL.openRecordsSet().bytes()).isGreaterThan(1_000_000_000);
  }

  @Test
  void fewerRecordsAreFewerEverywhere() {
    Scale tiny = Scale.FULL.withRecords(2000);

    assertThat(tiny.records()).isEqualTo(2000);
    assertThat(tiny.openRecords()).isEqualTo(2000);
    assertThat(tiny.growthRecords(10).count()).isEqualTo(4000);
    assertThat(Scale.FULL.withRecords(1).growthRecords()).isEqualTo(1);
  }

  @Test
  void moreRecordsLeaveTheOtherCasesAsTheyWere() {
    Scale huge = Scale.FULL.withRecords(10_000_000);

    assertThat(huge.openRecords()).isEqualTo(Scale.FULL.openRecords());
    assertThat(huge.growthRecords()).isEqualTo(Scale.FULL.growthRecords());
  }

  @Test
  void theDiskMustHoldBothSidesAndACompaction() {
    long data = 2_000_000L * (16 + 1024);

    assertThat(Scale.FULL.neededDiskBytes()).isBetween(3 * data, 5 * data);
    assertThat(Scale.FULL.withValueSizes(List.of(4096)).neededDiskBytes())
        .isGreaterThan(Scale.FULL.neededDiskBytes());
  }

  @Test
  void tooSmallAHeapIsSaidBeforehand() {
    assertThatThrownBy(() -> Scale.FULL.checkHeap(1L << 30))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContainingAll("1,024 MiB", "STELE_JAVA_OPTS=-Xmx", "--records");
    assertThatNoException().isThrownBy(() -> Scale.FULL.checkHeap(6L << 30));
    assertThatNoException().isThrownBy(() -> Scale.QUICK.checkHeap(2L << 30));
  }

  @Test
  void nothingIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Scale.FULL.withRounds(0));
    assertThatIllegalArgumentException().isThrownBy(() -> Scale.FULL.withValueSizes(List.of()));
  }
}
