package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotFoundException;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Reading in pages, and transactions of both kinds. */
@Execution(ExecutionMode.CONCURRENT)
class TransactionTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeServer server = new FakeServer(metastore);
  private final MetastoreClient client =
      new MetastoreClient(List.of(server.address()), RepeatRulesTest.QUICK);

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static List<String> names(Iterable<KeyValue> keys) {
    List<String> names = new ArrayList<>();
    keys.forEach(key -> names.add(key.key()));
    return names;
  }

  @Test
  void rangesAndListsAreFetchedPageByPage() {
    List<String> all = IntStream.range(10, 18).mapToObj(i -> "/d/" + i).toList();
    all.forEach(key -> metastore.set(key, "v"));
    assertThat(names(client.range(Keys.below("/d")))).isEqualTo(all);
    assertThat(server.calls("Range")).isEqualTo(3);
    assertThat(names(client.range(Keys.all(), ReadOptions.DEFAULTS.limit(4))))
        .isEqualTo(all.subList(0, 4));
    assertThat(names(client.range(Keys.between("/d/11", "/d/13"))))
        .containsExactly("/d/11", "/d/12");
    assertThat(names(client.range(Keys.all(), ReadOptions.DEFAULTS.pages(2)))).isEqualTo(all);
    List<String> listed = new ArrayList<>();
    client.list("/d").forEach(entry -> listed.add("/d/" + entry.name()));
    assertThat(listed).isEqualTo(all);
    Iterable<KeyValue> twice = client.range(Keys.all());
    assertThat(names(twice)).isEqualTo(names(twice));
  }

  @Test
  void conditionsDecide() {
    Transaction create =
        client
            .transaction()
            .when("/a")
            .version()
            .isEqualTo(0)
            .then(Step.put("/a", "1"))
            .otherwise(Step.get("/a"));
    TransactionResult first = create.commit();
    assertThat(first.succeeded()).isTrue();
    assertThat(first.results()).hasSize(1).first().isInstanceOf(StepResult.Put.class);
    TransactionResult second =
        client
            .transaction()
            .when("/a")
            .isAbsent()
            .then(Step.put("/a", "2"))
            .otherwise(Step.get("/a"), Step.delete("/a"))
            .commit();
    assertThat(second.succeeded()).isFalse();
    assertThat(second.results().getFirst())
        .isInstanceOfSatisfying(
            StepResult.Found.class,
            found -> assertThat(found.keys().getFirst().text()).isEqualTo("1"));
    assertThat(second.results().getLast()).isEqualTo(new StepResult.Deleted(1, List.of()));
  }

  @Test
  void aTransactionIsTriedAgainOnAConflictUntilItHolds() {
    AtomicInteger tries = new AtomicInteger();
    metastore.set("/counter", "5");
    long before =
        client.transact(
            tx -> {
              long seen = Long.parseLong(tx.get("/counter").orElseThrow().text());
              if (tries.incrementAndGet() <= 3) {
                metastore.set("/counter", Long.toString(seen + 10)); // somebody else
              }
              tx.put("/counter", Long.toString(seen + 1));
              return seen;
            });
    assertThat(tries).hasValue(4);
    assertThat(before).isEqualTo(35);
    assertThat(metastore.content()).containsEntry("/counter", "36");
  }

  @Test
  void triesAreBounded() {
    AtomicInteger tries = new AtomicInteger();
    assertThatThrownBy(
            () ->
                client.transact(
                    tx -> {
                      tx.get("/a");
                      metastore.set("/a", "" + tries.incrementAndGet());
                      tx.put("/a", "mine");
                      return 0;
                    }))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("each of 10 attempts")
        .hasMessageContaining("/a has changed");
    assertThat(tries).hasValue(10);
  }

  @Test
  void aFailureOfTheWorkAbortsAndIsNotTriedAgain() {
    AtomicInteger tries = new AtomicInteger();
    assertThatThrownBy(
            () ->
                client.transact(
                    tx -> {
                      tries.incrementAndGet();
                      tx.get("/a");
                      tx.put("/a", "1");
                      throw new NotFoundException("what I sought");
                    }))
        .isInstanceOf(NotFoundException.class);
    assertThat(tries).hasValue(1);
    assertThat(metastore.content()).isEmpty();
    await().until(() -> metastore.aborted.equals(List.of("1:1")));
  }

  @Test
  void aTransactionThatEndedWithTheTermIsTriedAgain() {
    AtomicInteger tries = new AtomicInteger();
    client.transact(
        tx -> {
          tx.get("/a");
          if (tries.incrementAndGet() == 1) {
            metastore.endTransactions();
          }
          tx.get("/b");
          tx.put("/c", "1");
          return 0;
        });
    assertThat(tries).hasValue(2);
    assertThat(metastore.content()).containsKey("/c");
  }

  @Test
  void writesAloneNeverConflictAndNeedNoTransactionAtTheServer() {
    client.transact(
        tx -> {
          tx.put("/a", "1");
          metastore.set("/a", "2");
          tx.delete("/b");
          return 0;
        });
    assertThat(metastore.content()).containsEntry("/a", "1");
    assertThat(server.calls("Begin")).isZero();
    assertThat(server.calls("Transact")).isEqualTo(1);
  }

  @Test
  void concurrentIncrementsAreNotLost() {
    metastore.set("/counter", "0");
    ClientSettings patient = RepeatRulesTest.QUICK.withTransactionAttempts(1_000);
    try (MetastoreClient counting = new MetastoreClient(List.of(server.address()), patient)) {
      List<CompletableFuture<Void>> counters =
          IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      CompletableFuture.runAsync(
                          () -> {
                            for (int n = 0; n < 10; n++) {
                              counting.transact(
                                  tx -> {
                                    int seen =
                                        Integer.parseInt(tx.get("/counter").orElseThrow().text());
                                    tx.put("/counter", Integer.toString(seen + 1));
                                    return seen;
                                  });
                            }
                          },
                          Thread::startVirtualThread))
              .toList();
      counters.forEach(CompletableFuture::join);
    }
    assertThat(metastore.content()).containsEntry("/counter", "40");
  }

  /** Random writes and reads of one transaction, beside a sorted map that does the same. */
  @Test
  void ownWritesAreSeenInEveryRead() {
    // In byte order the last two come behind the one with the umlaut; in UTF-16 they would not.
    List<String> names =
        List.of(
            "/a",
            "/b",
            "/b/c",
            "/bb",
            "/c",
            "/d",
            "/e",
            "/z",
            "/\u00e4",
            "/\uff5e",
            "/\ud83d\ude00");
    for (long seed = 0; seed < 40; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      NavigableMap<Bytes, String> model = new TreeMap<>();
      client.delete(Keys.all());
      for (String name : names) {
        if (random.nextBoolean()) {
          metastore.set(name, "stored");
          model.put(Bytes.utf8(name), "stored");
        }
      }
      String run = "seed " + seed;
      client.transact(
          tx -> {
            for (int i = 0; i < 25; i++) {
              step(tx, random, names, model, run);
            }
            return 0;
          });
      List<String> left = new ArrayList<>();
      model.forEach((key, value) -> left.add(key.toUtf8() + "=" + value));
      List<String> stored = new ArrayList<>();
      client.range(Keys.all()).forEach(key -> stored.add(key.key() + "=" + key.text()));
      assertThat(stored).as(run).isEqualTo(left);
    }
  }

  private static void step(
      InteractiveTransaction tx,
      RandomGenerator random,
      List<String> names,
      NavigableMap<Bytes, String> model,
      String run) {
    String name = names.get(random.nextInt(names.size()));
    var key = Bytes.utf8(name);
    switch (random.nextInt(5)) {
      case 0 -> {
        String value = "v" + random.nextInt(100);
        tx.put(name, value);
        model.put(key, value);
      }
      case 1 -> {
        tx.delete(name);
        model.remove(key);
      }
      case 2 -> {
        Keys below = Keys.prefix(name);
        model.keySet().removeIf(below::contains);
        tx.delete(below);
      }
      case 3 ->
          assertThat(tx.get(name).map(KeyValue::text).orElse("none"))
              .as(run)
              .isEqualTo(model.getOrDefault(key, "none"));
      default -> {
        int limit = random.nextInt(6);
        List<String> expected = new ArrayList<>();
        model.tailMap(key).forEach((k, v) -> expected.add(k.toUtf8() + "=" + v));
        List<String> found = new ArrayList<>();
        tx.range(Keys.from(name), limit).forEach(kv -> found.add(kv.key() + "=" + kv.text()));
        assertThat(found)
            .as(run)
            .isEqualTo(
                limit == 0 ? expected : expected.subList(0, Math.min(limit, expected.size())));
      }
    }
  }
}
