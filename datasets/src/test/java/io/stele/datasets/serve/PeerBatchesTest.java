package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.error.UnavailableException;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PeerBatchesTest {
  /** One that reached the other node. */
  private record Sent(
      String address,
      String version,
      List<Bytes> keys,
      boolean small,
      CompletableFuture<List<PeerAnswer>> answer) {}

  private final List<Sent> sent = new ArrayList<>();
  private final PeerBatches batches =
      new PeerBatches(
          new DatasetPeer() {
            @Override
            public CompletableFuture<List<PeerAnswer>> get(
                String address, String dataset, String version, int shards, List<Bytes> keys) {
              return send(address, version, keys, false);
            }

            @Override
            public CompletableFuture<List<PeerAnswer>> getSmall(
                String address, String dataset, String version, int shards, List<Bytes> keys) {
              return send(address, version, keys, true);
            }

            @Override
            public CompletableFuture<List<DatasetStatus>> status(String address) {
              return CompletableFuture.completedFuture(List.of());
            }
          });

  private CompletableFuture<List<PeerAnswer>> send(
      String address, String version, List<Bytes> keys, boolean small) {
    if (address.equals("nowhere")) {
      throw new IllegalStateException("no route");
    }
    CompletableFuture<List<PeerAnswer>> answer = new CompletableFuture<>();
    sent.add(new Sent(address, version, keys, small, answer));
    return answer;
  }

  private static Bytes key(int number) {
    return Bytes.utf8("key" + number);
  }

  private CompletableFuture<List<PeerAnswer>> ask(int number) {
    return ask("node", "v1", number);
  }

  private CompletableFuture<List<PeerAnswer>> ask(String address, String version, int number) {
    return batches.get(address, "scores", version, 5, List.of(key(number)));
  }

  private List<CompletableFuture<List<PeerAnswer>>> ask(int from, int to) {
    List<CompletableFuture<List<PeerAnswer>>> asked = new ArrayList<>();
    for (int i = from; i < to; i++) {
      asked.add(ask(i));
    }
    return asked;
  }

  private static PeerAnswer answer(Bytes key) {
    return new PeerAnswer.Found(Bytes.utf8("of " + key.toUtf8()));
  }

  /** Answers a request as it should be. */
  private static void answer(Sent request) {
    request.answer.complete(request.keys.stream().map(PeerBatchesTest::answer).toList());
  }

  /** Requests alone, as many as are sent at once; what follows waits. */
  private List<CompletableFuture<List<PeerAnswer>>> fill() {
    return ask(100, 100 + PeerBatches.FREE);
  }

  private Sent last() {
    return sent.getLast();
  }

  @Test
  void aLookupThatIsAloneIsSentAtOnceAndAsOne() {
    CompletableFuture<List<PeerAnswer>> asked = ask(1);
    assertThat(sent).singleElement().matches(request -> !request.small);
    assertThat(last().keys).containsExactly(key(1));
    answer(last());
    assertThat(asked).isCompletedWithValue(List.of(answer(key(1))));
  }

  @Test
  void thoseThatComeWhileRequestsAreUnderWayGoTogetherWhenOneIsAnswered() {
    fill();
    assertThat(sent).hasSize(PeerBatches.FREE);
    List<CompletableFuture<List<PeerAnswer>>> asked = ask(0, 5);
    assertThat(sent).hasSize(PeerBatches.FREE);
    answer(sent.getFirst());
    assertThat(sent).hasSize(PeerBatches.FREE + 1);
    assertThat(last().small).isTrue();
    assertThat(last().keys).containsExactly(key(0), key(1), key(2), key(3), key(4));
    answer(last());
    for (int i = 0; i < asked.size(); i++) {
      assertThat(asked.get(i)).isCompletedWithValue(List.of(answer(key(i))));
    }
  }

  @Test
  void asManyAsFillABatchDoNotWait() {
    fill();
    ask(0, PeerBatches.FULL);
    assertThat(sent).hasSize(PeerBatches.FREE + 1);
    assertThat(last().keys).hasSize(PeerBatches.FULL);
  }

  @Test
  void noMoreThanSoManyRequestsAreUnderWayAndNoBatchIsLargerThanSoMany() {
    ask(0, 1000);
    assertThat(sent).hasSize(PeerBatches.MOST);
    answer(sent.getFirst());
    assertThat(sent).hasSize(PeerBatches.MOST + 1);
    assertThat(last().keys).hasSize(PeerBatches.MOST_KEYS);
    for (int i = 1; i < sent.size(); i++) {
      answer(sent.get(i));
    }
    assertThat(sent.stream().mapToInt(request -> request.keys.size()).sum()).isEqualTo(1000);
  }

  @Test
  void otherNodesAndVersionsAreOtherBatches() {
    fill();
    ask("other", "v1", 1);
    ask("node", "v2", 2);
    assertThat(sent.subList(PeerBatches.FREE, sent.size()))
        .extracting(request -> request.address + " " + request.version)
        .containsExactly("other v1", "node v2");
  }

  @Test
  void severalKeysOfOneLookupGoAsTheyAre() {
    fill();
    batches.get("node", "scores", "v1", 5, List.of(key(1), key(2)));
    assertThat(last().keys).containsExactly(key(1), key(2));
    assertThat(last().small).isFalse();
  }

  @Test
  void aValueThatIsTooLargeForABatchIsAskedForAlone() {
    fill();
    List<CompletableFuture<List<PeerAnswer>>> asked = ask(0, 2);
    answer(sent.getFirst());
    last().answer.complete(List.of(new PeerAnswer.TooLarge(), answer(key(1))));
    assertThat(asked.get(1)).isCompletedWithValue(List.of(answer(key(1))));
    assertThat(asked.get(0)).isNotDone();
    assertThat(last().small).isFalse();
    assertThat(last().keys).containsExactly(key(0));
    PeerAnswer large =
        new PeerAnswer.Large(new LargeValue(3, new ByteArrayInputStream(new byte[3])));
    last().answer.complete(List.of(large));
    assertThat(asked.get(0)).isCompletedWithValue(List.of(large));
  }

  @Test
  void aFailureIsThatOfAllInTheBatchAndTheNextGoOn() {
    fill();
    List<CompletableFuture<List<PeerAnswer>>> asked = ask(0, 3);
    answer(sent.getFirst());
    Sent batch = last();
    ask(3, 5);
    batch.answer.completeExceptionally(new UnavailableException("500"));
    assertThat(asked).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(last().keys).containsExactly(key(3), key(4));
    last().answer.complete(List.of());
    assertThatThrownBy(asked.getFirst()::join).hasMessageContaining("500");
    assertThat(ask("nowhere", "v1", 1)).isCompletedExceptionally();
  }

  @Test
  void whatIsCancelledWhileItWaitsIsNotSent() {
    fill();
    List<CompletableFuture<List<PeerAnswer>>> asked = ask(0, 3);
    asked.get(1).cancel(true);
    answer(sent.getFirst());
    assertThat(last().keys).containsExactly(key(0), key(2));
  }

  @Test
  void aRequestIsCancelledWhenNobodyWantsAnyOfIt() {
    fill();
    List<CompletableFuture<List<PeerAnswer>>> asked = ask(0, 2);
    answer(sent.getFirst());
    Sent batch = last();
    ask(5);
    asked.get(0).cancel(true);
    assertThat(batch.answer).isNotDone();
    asked.get(1).cancel(true);
    assertThat(batch.answer).isCancelled();
    assertThat(last().keys).as("its place is free").containsExactly(key(5));
  }

  @Test
  void aLargeValueThatNobodyWantsAnyMoreIsClosed() {
    AtomicBoolean closed = new AtomicBoolean();
    ask(1).complete(List.of()); // as if it had been cancelled at the very moment
    last()
        .answer
        .complete(
            List.of(
                new PeerAnswer.Large(
                    new LargeValue(
                        1,
                        new ByteArrayInputStream(new byte[1]) {
                          @Override
                          public void close() {
                            closed.set(true);
                          }
                        }))));
    assertThat(closed).isTrue();
  }

  @Test
  void beyondSoManyThatWaitLookupsFailAtOnce() {
    ask(0, PeerBatches.MOST_WAITING);
    int room =
        PeerBatches.MOST_WAITING - sent.stream().mapToInt(request -> request.keys.size()).sum();
    List<CompletableFuture<List<PeerAnswer>>> more =
        ask(10_000, 10_000 + PeerBatches.MOST_WAITING - room);
    assertThat(more).noneMatch(CompletableFuture::isDone);
    assertThatThrownBy(() -> ask(1).join()).hasMessageContaining("4096 lookups wait");
  }
}
