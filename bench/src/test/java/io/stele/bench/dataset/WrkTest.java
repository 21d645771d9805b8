package io.stele.bench.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stele.bench.driver.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WrkTest {
  private static final String SAID =
      """
      Running 2s test @ http://127.0.0.1:9599/
        1 threads and 64 connections
        Thread Stats   Avg      Stdev     Max   +/- Stdev
          Latency     1.98ms    3.11ms  50.34ms   92.02%
          Req/Sec    51.66k     6.44k   62.65k    65.00%
        Latency Distribution
           50%  998.00us
           75%    1.75ms
           90%    4.33ms
           99%   15.91ms
        102943 requests in 2.01s, 25.13MB read
      Requests/sec:  51274.82
      Transfer/sec:     12.52MB
      """;

  @Test
  void figuresAreTakenOutOfWhatItPrints() throws Exception {
    Sample sample = Wrk.read(SAID);

    assertThat(sample.runs()).isEqualTo(102_943);
    assertThat(sample.perSecond()).isCloseTo(51_274.82, within(0.01));
    assertThat(sample.p50Micros()).isEqualTo(998);
    assertThat(sample.p99Micros()).isEqualTo(15_910);
  }

  @Test
  void answersThatAreNoValuesAreNoResult() {
    assertThatThrownBy(() -> Wrk.read(SAID + "  Non-2xx or 3xx responses: 17\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Non-2xx or 3xx responses: 17");
    assertThatThrownBy(() -> Wrk.read("unable to connect"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("unable to connect");
  }

  @Test
  void keysAreThoseThatWrkAsksFor() {
    assertThat(new String(BenchRecords.key(1_234_567), StandardCharsets.US_ASCII))
        .isEqualTo(BenchRecords.KEY_FORMAT.formatted(1_234_567));
  }
}
