package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** "Picks a node at random and tries it … every duration … starts a request to a new node …" */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD) // who waits too long, waits for ever
class PeerLookupTest {
  private static final List<Bytes> KEYS = List.of(Bytes.utf8("key"));

  private final ManualClock clock = new ManualClock();
  private final Peers peers = new Peers();
  private final ServedVersion version = new ServedVersion("scores", "v1", 1, 0, 0, (_, _) -> {});

  /** Peers that answer as their names say: the rest never does. */
  private static final class Peers implements DatasetPeer {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<List<PeerAnswer>>> requests = new CopyOnWriteArrayList<>();
    private Runnable whenAsked = () -> {}; // what happens before the next is thought of

    @Override
    public CompletableFuture<List<PeerAnswer>> get(
        String address, String dataset, String version, int shards, List<Bytes> keys) {
      asked.add(address);
      whenAsked.run();
      CompletableFuture<List<PeerAnswer>> request = new CompletableFuture<>();
      requests.add(request);
      if (address.startsWith("good")) {
        request.complete(List.of(new PeerAnswer.Found(Bytes.utf8(version))));
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

  private PeerLookup.Outcome ask(Duration stage, Duration timeout) {
    return lookup(1, stage, timeout).ask(version, 0, KEYS);
  }

  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void onlyAdvertisersAreAskedAndEachFirstAboutAsOften() {
    holders("good1", "good2", "good3");
    Map<String, Integer> hits = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      peers.asked.clear();
      assertThat(lookup(i, LONG, LONG).ask(version, 0, KEYS))
          .isInstanceOf(PeerLookup.Outcome.Answered.class);
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
      assertThat(lookup(seed, LONG, LONG).ask(version, 0, KEYS))
          .isEqualTo(
              new PeerLookup.Outcome.Answered(
                  List.of(new PeerAnswer.Found(Bytes.utf8("v1"))), "good1"));
    }
  }

  @Test
  void aSlowFirstPeerIsOvertakenAfterAStageAndCancelled() {
    holders("slow1", "slow2", "slow3", "good1");
    peers.whenAsked = () -> clock.advance(Duration.ofMillis(5));
    for (int seed = 0; seed < 8; seed++) {
      peers.requests.clear();
      assertThat(lookup(seed, Duration.ofMillis(5), LONG).ask(version, 0, KEYS))
          .isInstanceOfSatisfying(
              PeerLookup.Outcome.Answered.class,
              answered -> assertThat(answered.address()).isEqualTo("good1"));
      assertThat(peers.requests).allMatch(CompletableFuture::isDone);
      assertThat(peers.requests.stream().filter(CompletableFuture::isCancelled).count())
          .isEqualTo(peers.requests.size() - 1);
    }
  }

  @Test
  void allSlowIsATimeOutAndAllAreCancelled() {
    holders("slow1", "slow2", "broken1");
    Duration stage = Duration.ofMillis(10);
    Duration timeout = Duration.ofMillis(40);
    peers.whenAsked = () -> clock.advance(peers.asked.size() < 3 ? stage : timeout);
    PeerLookup.Outcome outcome = ask(stage, timeout);
    assertThat(outcome)
        .isInstanceOfSatisfying(
            PeerLookup.Outcome.GivenUp.class,
            given -> {
              assertThat(given.failure()).isEqualTo(Lookup.Failure.TIMED_OUT);
              assertThat(given.reason()).contains("scores").contains("v1").contains("40 ms");
            });
    assertThat(peers.asked).hasSize(3);
    assertThat(peers.requests).allMatch(CompletableFuture::isDone);
  }

  @Test
  void noneIsAskedBeforeItsStage() {
    holders("slow1", "slow2", "slow3");
    peers.whenAsked = () -> clock.advance(Duration.ofMillis(20));
    assertThat(ask(LONG, Duration.ofMillis(20))).isInstanceOf(PeerLookup.Outcome.GivenUp.class);
    assertThat(peers.asked).hasSize(1);
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
