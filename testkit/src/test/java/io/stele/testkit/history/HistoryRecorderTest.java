package io.stele.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.time.Clock;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class HistoryRecorderTest {
  private final ManualClock clock = new ManualClock();
  private final HistoryRecorder<String, Integer> recorder = new HistoryRecorder<>(clock);

  @Test
  void aCallHasItsTimesAndItsResult() {
    clock.advance(Duration.ofNanos(5));
    long invoked = clock.nanos();
    var pending = recorder.invoke("a", "call");
    clock.advance(Duration.ofNanos(7));
    pending.returned(42);
    assertThat(recorder.history())
        .containsExactly(
            new Operation<>("a", "call", invoked, new Outcome.Returned<>(42, invoked + 7)));
  }

  @Test
  void aCallThatFailedIsNotInTheHistory() {
    recorder.invoke("a", "failed").failed();
    assertThat(recorder.history()).isEmpty();
  }

  @Test
  void aCallWithoutAnAnswerIsOfUnknownOutcome() {
    recorder.invoke("a", "given up").unknown();
    recorder.invoke("b", "still waiting");
    assertThat(recorder.history())
        .extracting(Operation::outcome)
        .containsExactly(new Outcome.Unknown<>(), new Outcome.Unknown<>());
    assertThat(recorder.history().getFirst().returned()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aCallEndsOnce() {
    var pending = recorder.invoke("a", "call");
    pending.unknown();
    assertThatThrownBy(() -> pending.returned(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("call of a has ended before (ENDED): a call ends once");
  }

  @Test
  void anOperationDoesNotReturnBeforeItsInvocation() {
    assertThatThrownBy(() -> new Operation<>("a", "call", 10, new Outcome.Returned<>(1, 9)))
        .hasMessage("call of a returned at 9, before its invocation at 10");
  }

  /** The whole path, with real threads on a map that is linearizable. */
  @Test
  void manyThreadsRecordAtOnce() throws InterruptedException {
    HistoryRecorder<RegisterCall, RegisterResult> shared = new HistoryRecorder<>(Clock.system());
    Map<String, String> store = new ConcurrentHashMap<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      String client = "c" + t;
      threads.add(Thread.ofVirtual().start(() -> use(store, shared, client)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(shared.history()).hasSize(8 * 500);
    Map<String, Integer> byClient = new HashMap<>();
    shared.history().forEach(operation -> byClient.merge(operation.client(), 1, Integer::sum));
    assertThat(byClient.values()).hasSize(8).containsOnly(500);
    new LinearizabilityChecker<>(new RegisterModel()).check(shared.history()).requireValid();
  }

  private static void use(
      Map<String, String> store,
      HistoryRecorder<RegisterCall, RegisterResult> recorder,
      String client) {
    for (int i = 0; i < 500; i++) {
      String key = "/k" + i % 3;
      if (i % 2 == 0) {
        String value = client + "-" + i;
        var put = recorder.invoke(client, new RegisterCall.Put(key, value));
        store.put(key, value);
        put.returned(RegisterResult.DONE);
      } else {
        var get = recorder.invoke(client, new RegisterCall.Get(key));
        get.returned(new RegisterResult.Found(Optional.ofNullable(store.get(key))));
      }
    }
  }
}
