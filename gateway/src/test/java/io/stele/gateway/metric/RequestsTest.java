package io.stele.gateway.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.error.ConflictException;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class RequestsTest {
  private final ManualClock clock = new ManualClock();
  private final Requests requests = new Requests(clock);
  private final RequestKind read = requests.kind(Api.ROWS, "read");

  private void answer(RequestKind kind, String table, Outcome outcome, Duration time) {
    long start = kind.start();
    clock.advance(time);
    kind.finished(table, outcome, start, 10, 20);
  }

  private RequestMeter meter(String table) {
    return read.meters().stream()
        .filter(meter -> meter.table().equals(table))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void requestsCountByTableAndOutcome() {
    answer(read, "users", Outcome.OK, Duration.ofMillis(2));
    answer(read, "users", Outcome.CONFLICT, Duration.ofMillis(2));
    answer(read, "events", Outcome.OK, Duration.ofMillis(2));

    assertThat(meter("users").count(Outcome.OK)).isEqualTo(1);
    assertThat(meter("users").count(Outcome.CONFLICT)).isEqualTo(1);
    assertThat(meter("users").receivedBytes()).isEqualTo(20);
    assertThat(meter("users").sentBytes()).isEqualTo(40);
    assertThat(meter("users").timings().nanos()).isEqualTo(4_000_000);
    assertThat(meter("events").timings().count()).isEqualTo(1);
  }

  @Test
  void aTableThatIsNotKnownToExistCountsAsOther() {
    answer(read, "typo", Outcome.NOT_FOUND, Duration.ZERO);

    assertThat(read.meters()).extracting(RequestMeter::table).containsExactly("other");
  }

  @Test
  void theNumberOfTablesIsBounded() {
    for (int i = 0; i < 300; i++) {
      answer(read, "table" + i, Outcome.OK, Duration.ZERO);
    }

    assertThat(read.meters()).hasSize(101);
    assertThat(meter("other").count(Outcome.OK)).isEqualTo(200);
  }

  @Test
  void slowRequestsAreToldAtMostOnceASecond() {
    List<SlowRequest> told = new ArrayList<>();
    requests.tellSlow(Duration.ofMillis(100), told::add);

    answer(read, "users", Outcome.OK, Duration.ofMillis(99));
    answer(read, "users", Outcome.OK, Duration.ofMillis(100));
    answer(read, "users", Outcome.OK, Duration.ofMillis(100));
    answer(read, "users", Outcome.OK, Duration.ofMillis(100));
    answer(read, "users", Outcome.UNAVAILABLE, Duration.ofSeconds(2));

    assertThat(requests.slowCount()).isEqualTo(4);
    assertThat(told)
        .extracting(SlowRequest::text)
        .containsExactly(
            "slow request: rows read of table users took 100 ms (ok)",
            "slow request: rows read of table users took 2000 ms (unavailable); 2 more were slow"
                + " since the last such line");
  }

  @Test
  void aSlowRequestSaysWhereItsTimeWent() {
    List<SlowRequest> told = new ArrayList<>();
    requests.tellSlow(Duration.ofMillis(100), told::add);

    long start = read.start();
    clock.advance(Duration.ofMillis(30));
    long between = read.start();
    clock.advance(Duration.ofMillis(80));
    read.finished("users", Outcome.OK, start, between, "%d ms to begin, %d ms to end", 1, 1);

    assertThat(told.getFirst().text()).endsWith("(ok): 30 ms to begin, 80 ms to end");
  }

  @Test
  void outcomesAreTheKindsOfErrors() {
    assertThat(Outcome.of((Throwable) null)).isEqualTo(Outcome.OK);
    assertThat(Outcome.of(new CompletionException(new ConflictException("x"))))
        .isEqualTo(Outcome.CONFLICT);
    assertThat(Outcome.of(new IllegalStateException())).isEqualTo(Outcome.DEFECT);
    assertThat(Outcome.of(404)).isEqualTo(Outcome.NOT_FOUND);
  }
}
