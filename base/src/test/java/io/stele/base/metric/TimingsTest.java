package io.stele.base.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimingsTest {
  private final Timings timings = new Timings();

  @ParameterizedTest
  @CsvSource({
    "0, 10000",
    "10000, 10000",
    "10001, 25000",
    "1000000, 1000000",
    "1000001, 2500000",
    "10000000000, 10000000000",
    "10000000001, 9223372036854775807"
  })
  void aDurationCountsInTheFirstBucketThatHoldsIt(long nanos, long bound) {
    timings.record(nanos);

    Timings.Snapshot snapshot = timings.snapshot();
    int bucket =
        IntStream.range(0, Timings.buckets())
            .filter(each -> snapshot.count(each) == 1)
            .findFirst()
            .orElseThrow();
    assertThat(Timings.bound(bucket)).isEqualTo(bound);
    assertThat(snapshot.count()).isEqualTo(1);
    assertThat(snapshot.nanos()).isEqualTo(nanos);
  }

  @Test
  void boundsAscend() {
    assertThat(IntStream.range(0, Timings.buckets()).mapToObj(Timings::bound)).isSorted();
  }

  @Test
  void nothingIsLostBetweenThreads() throws InterruptedException {
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int n = 0; n < 10_000; n++) {
                      timings.record(n);
                    }
                  });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(timings.snapshot().count()).isEqualTo(40_000);
    assertThat(timings.snapshot().nanos()).isEqualTo(4L * 9_999 * 10_000 / 2);
  }
}
