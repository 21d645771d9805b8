package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** "Picks a node at random and tries it … every duration … starts a request to a new node …" */
class PeerLookupTest {
  private static final List<Bytes> KEYS = List.of(Bytes.utf8("key"));

  private final ManualClock clock = new ManualClock();
  private final Peers peers = new Peers();
  private final ServedVersion version = new ServedVersion("scores", "v1", 1, 0, 0, (_, _) -> {});

  /** Peers that answer as their names say: the rest never does. */
  private static final class Peers implements DatasetPeer {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<List<PeerAnswer>>> requests = new CopyOnWriteArrayList<>();
    private @Nullable LargeValue large;
    private Runnable whenAsked = () -> {}; // what happens before the answer

    @Override
    public CompletableFuture<List<PeerAnswer>> get(
        String address, String dataset, String version, int shards, List<Bytes> keys) {
      asked.add(address);
      CompletableFuture<List<PeerAnswer>> request = new CompletableFuture<>();
      requests.add(request);
      whenAsked.run();
      if (address.startsWith("good")) {
        request.complete(List.of(new PeerAnswer.Found(Bytes.utf8(version))));
      } else if (address.startsWith("large") && large != null) {
        request.complete(List.of(new PeerAnswer.Large(large)));
      } else if (address.startsWith("missing")) {
        request.complete(List.of(new PeerAnswer.Missing()));
      } else if (address.startsWith("without")) {
        request.complete(List.of(new PeerAnswer.NotHere("not here")));
      } else if (address.startsWith("short")) {
        request.complete(List.of());
      } else if (address.startsWith("broken")) {
        request.completeExceptionally(new IllegalStateException("500"));
      } else if (address.startsWith("throws")) {
        throw new IllegalStateException("no route");
      }
      return request;
    }

    @Override
    public CompletableFuture<List<DatasetStatus>> status(String address) {
      return CompletableFuture.completedFuture(List.of());
    }
  }

  private PeerLookup lookup(long seed, Duration stage, Duration timeout) {
    return new PeerLookup(peers, clock, RandomSource.seeded(seed), stage, timeout);
  }

  private void holders(String... addresses) {
    Map<String, String> entries = new TreeMap<>();
    for (String address : addresses) {
      entries.put("00000@" + address, "");
    }
    version.holders(Holders.parse(1, entries, "self"));
  }

  /** Asks, and lets time pass, a millisecond at a time, until something has become of it. */
  private PeerLookup.Outcome ask(PeerLookup lookup) {
    CompletableFuture<PeerLookup.Outcome> outcome = lookup.ask(version, 0, KEYS);
    for (int millis = 0; !outcome.isDone() && millis < 100; millis++) {
      clock.advance(Duration.ofMillis(1));
      lookup.tick();
    }
    assertThat(outcome).isDone();
    return outcome.join();
  }

  private PeerLookup.Outcome ask(Duration stage, Duration timeout) {
    return ask(lookup(1, stage, timeout));
  }

  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void onlyAdvertisersAreAskedAndEachFirstAboutAsOften() {
    holders("good1", "good2", "good3");
    Map<String, Integer> hits = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      peers.asked.clear();
      assertThat(ask(lookup(i, LONG, LONG))).isInstanceOf(PeerLookup.Outcome.Answered.class);
      assertThat(peers.asked).hasSize(1);
      hits.merge(peers.asked.getFirst(), 1, Integer::sum);
    }
    assertThat(hits.keySet()).containsExactlyInAnyOrder("good1", "good2", "good3");
    assertThat(hits.values()).allMatch(count -> count > 60 && count < 140);
  }

  @Test
  void aMissingKeyIsAnAnswer() {
    holders("missing1", "missing2");
    assertThat(ask(LONG, LONG))
        .isInstanceOfSatisfying(
            PeerLookup.Outcome.Answered.class,
            answered -> assertThat(answered.answers()).containsExactly(new PeerAnswer.Missing()));
    assertThat(peers.asked).hasSize(1);
  }

  @Test
  void afterAFailureTheNextIsAskedAtOnce() {
    holders("broken1", "throws1", "without1", "short1", "good1");
    for (int seed = 0; seed < 20; seed++) {
      assertThat(ask(lookup(seed, LONG, LONG)))
          .isEqualTo(
              new PeerLookup.Outcome.Answered(
                  List.of(new PeerAnswer.Found(Bytes.utf8("v1"))), "good1"));
    }
  }

  @Test
  void aSlowFirstPeerIsOvertakenAfterAStageAndCancelled() {
    holders("slow1", "slow2", "slow3", "good1");
    for (int seed = 0; seed < 8; seed++) {
      peers.requests.clear();
      long start = clock.nanos();
      assertThat(ask(lookup(seed, Duration.ofMillis(5), LONG)))
          .isInstanceOfSatisfying(
              PeerLookup.Outcome.Answered.class,
              answered -> assertThat(answered.address()).isEqualTo("good1"));
      assertThat(peers.requests).allMatch(CompletableFuture::isDone);
      assertThat(peers.requests.stream().filter(CompletableFuture::isCancelled).count())
          .isEqualTo(peers.requests.size() - 1);
      assertThat(clock.nanos() - start).isEqualTo(5_000_000L * (peers.requests.size() - 1));
    }
  }

  @Test
  void aLargeValueThatWasOvertakenIsClosed() {
    holders("slow1", "large1");
    AtomicBoolean closed = new AtomicBoolean();
    peers.large =
        new LargeValue(
            1,
            new ByteArrayInputStream(new byte[1]) {
              @Override
              public void close() {
                closed.set(true);
              }
            });
    for (int seed = 0; seed < 20; seed++) {
      peers.requests.clear();
      peers.asked.clear();
      closed.set(false);
      PeerLookup lookup = lookup(seed, Duration.ofMillis(5), LONG);
      CompletableFuture<PeerLookup.Outcome> outcome = lookup.ask(version, 0, KEYS);
      boolean first = peers.asked.equals(List.of("large1"));
      if (!first) {
        // Both have answered when the first of them is heard.
        peers.whenAsked =
            () -> peers.requests.getFirst().complete(List.of(new PeerAnswer.Missing()));
        clock.advance(Duration.ofMillis(5));
        lookup.tick();
        peers.whenAsked = () -> {};
      }
      assertThat(((PeerLookup.Outcome.Answered) outcome.join()).address())
          .isEqualTo(first ? "large1" : "slow1");
      assertThat(closed.get()).isEqualTo(!first);
    }
  }

  @Test
  void allSlowIsATimeOutAndAllAreCancelled() {
    holders("slow1", "slow2", "broken1");
    long start = clock.nanos();
    PeerLookup.Outcome outcome = ask(Duration.ofMillis(10), Duration.ofMillis(40));
    assertThat(outcome)
        .isInstanceOfSatisfying(
            PeerLookup.Outcome.GivenUp.class,
            given -> {
              assertThat(given.failure()).isEqualTo(Lookup.Failure.TIMED_OUT);
              assertThat(given.reason()).contains("scores").contains("v1").contains("40 ms");
            });
    assertThat(clock.nanos() - start).isEqualTo(40_000_000L);
    assertThat(peers.asked).hasSize(3);
    assertThat(peers.requests).allMatch(CompletableFuture::isDone);
  }

  @Test
  void noneIsAskedBeforeItsStage() {
    holders("slow1", "slow2", "slow3");
    assertThat(ask(LONG, Duration.ofMillis(20))).isInstanceOf(PeerLookup.Outcome.GivenUp.class);
    assertThat(peers.asked).hasSize(1);
  }

  @Test
  void aStageBeginsAnewWhenTheNextIsAskedAfterAFailure() {
    holders("slow1", "slow2", "slow3");
    PeerLookup lookup = lookup(1, Duration.ofMillis(10), LONG);
    var _ = lookup.ask(version, 0, KEYS);
    clock.advance(Duration.ofMillis(6));
    peers.requests.getFirst().completeExceptionally(new IllegalStateException("500"));
    assertThat(peers.asked).hasSize(2);
    clock.advance(Duration.ofMillis(9));
    assertThat(lookup.tick()).isEqualTo(1_000_000);
    assertThat(peers.asked).hasSize(2);
    clock.advance(Duration.ofMillis(1));
    lookup.tick();
    assertThat(peers.asked).hasSize(3);
  }

  @Test
  void whoeverTicksIsWokenOnlyWhenSomethingIsAskedAfterNothingWas() {
    holders("slow1", "slow2");
    PeerLookup lookup = lookup(1, Duration.ofMillis(10), Duration.ofMillis(20));
    int[] woken = {0};
    lookup.whenNeeded(() -> woken[0]++);
    assertThat(lookup.tick()).isEqualTo(PeerLookup.NOTHING);
    var _ = lookup.ask(version, 0, KEYS);
    var _ = lookup.ask(version, 0, KEYS);
    assertThat(woken[0]).isEqualTo(1);
    assertThat(lookup.tick()).isEqualTo(10_000_000);
    peers.requests.forEach(request -> request.complete(List.of(new PeerAnswer.Missing())));
    assertThat(lookup.tick()).as("nothing is left of what is done").isEqualTo(PeerLookup.NOTHING);
    var _ = lookup.ask(version, 0, KEYS);
    assertThat(woken[0]).isEqualTo(2);
  }

  @Test
  void whoWasSlowIsAskedFirstAgainAfterAWhile() {
    holders("slow1", "good1");
    PeerLookup lookup = lookup(1, Duration.ofMillis(5), LONG);
    do {
      peers.asked.clear();
      ask(lookup);
    } while (peers.asked.size() == 1); // until it was the slow one's turn
    for (int i = 0; i < 50; i++) {
      peers.asked.clear();
      ask(lookup);
      assertThat(peers.asked).containsExactly("good1");
    }
    int turns = 0;
    do {
      clock.advance(Duration.ofSeconds(10));
      peers.asked.clear();
      ask(lookup);
      turns++;
    } while (!peers.asked.getFirst().equals("slow1") && turns < 1000);
    assertThat(peers.asked).containsExactly("slow1", "good1");
  }

  @Test
  void whenAllFailItIsGivenUpAtOnceWithTheirReasons() {
    holders("broken1", "without1");
    assertThat(ask(LONG, LONG))
        .isInstanceOfSatisfying(
            PeerLookup.Outcome.GivenUp.class,
            given -> {
              assertThat(given.failure()).isEqualTo(Lookup.Failure.NO_PEER);
              assertThat(given.reason()).contains("broken1").contains("500").contains("not here");
            });
    assertThat(peers.asked).hasSize(2);
  }

  @Test
  void withoutAHolderNobodyIsAsked() {
    holders();
    assertThat(ask(LONG, LONG))
        .isInstanceOfSatisfying(
            PeerLookup.Outcome.GivenUp.class,
            given -> assertThat(given.failure()).isEqualTo(Lookup.Failure.NO_PEER));
    version.holders(
        Holders.parse(
            1, Map.of("00000@self", "", "00001@other", "", "x", "", "0000a@b", ""), "self"));
    assertThat(ask(LONG, LONG)).isInstanceOf(PeerLookup.Outcome.GivenUp.class);
    assertThat(peers.asked).isEmpty();
  }
}
