package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MedianTest {

  @Test
  void oneDisturbedRunDoesNotMoveIt() {
    assertThat(Median.of(10, 1000, 12)).isEqualTo(12);
    assertThat(Median.of(7)).isEqualTo(7);
  }

  @Test
  void ofAnEvenNumberItIsTheMeanOfTheTwoInTheMiddle() {
    assertThat(Median.of(4, 1, 100, 6)).isEqualTo(5);
  }

  @Test
  void ofNothingThereIsNone() {
    assertThatIllegalArgumentException().isThrownBy(Median::of);
  }
}
