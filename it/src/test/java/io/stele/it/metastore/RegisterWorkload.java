package io.stele.it.metastore;

import io.stele.base.time.Clock;
import io.stele.client.metastore.Consistency;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.it.process.LongestGap;
import io.stele.testkit.history.HistoryRecorder;
import io.stele.testkit.history.LinearizabilityChecker;
import io.stele.testkit.history.RegisterCall;
import io.stele.testkit.history.RegisterModel;
import io.stele.testkit.history.RegisterResult;
import io.stele.testkit.history.Verdict;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Single keys: get, put, delete and compare-and-set. Every value written is a new one. */
final class RegisterWorkload {
  private static final int KEYS = 100;

  private final HistoryRecorder<RegisterCall, RegisterResult> recorder =
      new HistoryRecorder<>(Clock.system());
  private final AtomicLong values = new AtomicLong();
  private final Workers workers;
  private final LongestGap gap = new LongestGap(Clock.system());
  private final ReadOptions reads;

  RegisterWorkload(long seed, Consistency consistency) {
    this.workers = new Workers("registers", seed);
    this.reads = ReadOptions.DEFAULTS.with(consistency);
  }

  Workers workers() {
    return workers;
  }

  /** One more worker, which uses this client. */
  void start(String name, MetastoreClient client) {
    start(name, new NativeRegisters(client, reads));
  }

  /** One more worker, by whatever interface. */
  void start(String name, Registers client) {
    workers.start(random -> step(name, client, random));
  }

  private void step(String name, Registers client, RandomGenerator random)
      throws InterruptedException {
    String key = "/registers/" + random.nextInt(KEYS);
    int dice = random.nextInt(100);
    if (dice < 60) {
      get(name, client, key);
    } else if (dice < 80) {
      put(name, client, key);
    } else if (dice < 86) {
      delete(name, client, key);
    } else {
      compareAndSet(name, client, key, random);
    }
    workers.pause(Workers.PACE);
  }

  private void get(String name, Registers client, String key) throws InterruptedException {
    workers.record(
        recorder.invoke(name, new RegisterCall.Get(key)),
        () -> new RegisterResult.Found(client.get(key)));
  }

  private void put(String name, Registers client, String key) throws InterruptedException {
    String value = fresh();
    if (workers.record(
        recorder.invoke(name, new RegisterCall.Put(key, value)),
        () -> {
          client.put(key, value);
          return RegisterResult.DONE;
        })) {
      gap.happened();
    }
  }

  private void delete(String name, Registers client, String key) throws InterruptedException {
    workers.record(
        recorder.invoke(name, new RegisterCall.Delete(key)),
        () -> {
          client.delete(key);
          return RegisterResult.DONE;
        });
  }

  /** On what a read just found, mostly; it may have changed meanwhile. */
  private void compareAndSet(String name, Registers client, String key, RandomGenerator random)
      throws InterruptedException {
    Seen seen = new Seen();
    if (!workers.record(
        recorder.invoke(name, new RegisterCall.Get(key)),
        () -> {
          seen.value = client.get(key);
          return new RegisterResult.Found(seen.value);
        })) {
      return;
    }
    Optional<String> expected = seen.value;
    Optional<String> replacement = random.nextInt(5) == 0 ? Optional.empty() : Optional.of(fresh());
    workers.record(
        recorder.invoke(name, new RegisterCall.CompareAndSet(key, expected, replacement)),
        () -> client.compareAndSet(key, expected, replacement));
  }

  private static final class Seen {
    private Optional<String> value = Optional.empty();
  }

  private String fresh() {
    return Long.toString(values.incrementAndGet());
  }

  /** Without a put that succeeded. */
  LongestGap gap() {
    return gap;
  }

  Verdict check() {
    return new LinearizabilityChecker<>(new RegisterModel()).check(recorder.history());
  }
}
