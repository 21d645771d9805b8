package io.stele.metastore.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.NotServingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReadRoundsTest {
  private record Question(Member asked, CompletableFuture<Long> answer) {}

  private static final Member M1 = member(1);
  private static final Member M2 = member(2);
  private static final Member M3 = member(3);
  private static final Member M4 = member(4);
  private static final Member M5 = member(5);

  private final List<Question> questions = new ArrayList<>();
  private ReadRounds.Lead lead = lead(4, List.of(M1, M2, M3));
  private final ReadRounds rounds = new ReadRounds(() -> lead, this::ask, Duration.ofSeconds(30));

  private static Member member(int number) {
    return new Member("m" + number, "h:" + number, "s:" + number);
  }

  @SafeVarargs
  private static ReadRounds.Lead lead(long term, List<Member>... quorums) {
    List<Set<Member>> sets = new ArrayList<>();
    for (List<Member> quorum : quorums) {
      sets.add(new LinkedHashSet<>(quorum));
    }
    return new ReadRounds.Lead(term, M1, sets);
  }

  private CompletableFuture<Long> ask(Member member) {
    Question question = new Question(member, new CompletableFuture<>());
    questions.add(question);
    return question.answer();
  }

  /** Answers the oldest question to a member that has none yet. */
  private void answer(Member member, long term) {
    questions.stream()
        .filter(one -> one.asked().equals(member) && !one.answer().isDone())
        .findFirst()
        .orElseThrow()
        .answer()
        .complete(term);
  }

  @Test
  void aMajorityThatKnowsNoLaterTermConfirms() {
    CompletableFuture<Void> read = rounds.await();
    assertThat(questions).extracting(Question::asked).containsExactlyInAnyOrder(M2, M3);
    assertThat(read).isNotDone();
    answer(M3, 4);
    assertThat(read).isCompleted();
  }

  @Test
  void aReadIsOnlyCoveredByARoundThatBeganAfterIt() {
    CompletableFuture<Void> early = rounds.await();
    CompletableFuture<Void> late = rounds.await();
    CompletableFuture<Void> later = rounds.await();
    assertThat(questions).as("one round at a time").hasSize(2);
    answer(M2, 4);
    assertThat(early).isCompleted();
    assertThat(late).as("came while the first round ran").isNotDone();
    assertThat(questions).as("the next round has begun").hasSize(4);
    answer(M3, 4); // of the first round: too late to matter
    assertThat(late).isNotDone();
    answer(M2, 4);
    assertThat(late).isCompleted();
    assertThat(later).as("shares the round").isCompleted();
    assertThat(questions).hasSize(4);
  }

  @Test
  void aLaterTermAnywhereRefuses() {
    CompletableFuture<Void> read = rounds.await();
    answer(M2, 5);
    assertThatThrownBy(read::join)
        .hasCauseInstanceOf(NotServingException.class)
        .hasMessageContaining("m2 knows term 5");
  }

  @Test
  void silenceDoesNotConfirmAndRefusalsEndTheWait() {
    CompletableFuture<Void> read = rounds.await();
    questions.get(0).answer().completeExceptionally(new IllegalStateException("gone"));
    assertThat(read).isNotDone();
    questions.get(1).answer().completeExceptionally(new IllegalStateException("gone"));
    assertThatThrownBy(read::join)
        .hasCauseInstanceOf(NotServingException.class)
        .hasMessageContaining("cannot confirm");
    // The next round is not spoilt by it.
    CompletableFuture<Void> next = rounds.await();
    answer(M2, 4);
    assertThat(next).isCompleted();
  }

  @Test
  void nobodyAnsweringInTimeRefuses() {
    ReadRounds hasty = new ReadRounds(() -> lead, this::ask, Duration.ofMillis(20));
    assertThatThrownBy(() -> hasty.await().join())
        .hasCauseInstanceOf(NotServingException.class)
        .hasMessageContaining("[m1]");
  }

  @Test
  void whoeverLostTheTermMeanwhileIsRefused() {
    CompletableFuture<Void> read = rounds.await();
    lead = lead(6, List.of(M1, M2, M3));
    answer(M2, 4);
    assertThatThrownBy(read::join)
        .hasCauseInstanceOf(NotServingException.class)
        .hasMessageContaining("term 6");
  }

  @Test
  void whileMembersChangeBothSetsMustAgree() {
    lead = lead(4, List.of(M1, M2, M3), List.of(M1, M4, M5));
    CompletableFuture<Void> read = rounds.await();
    assertThat(questions).hasSize(4);
    answer(M2, 4);
    answer(M3, 4);
    assertThat(read).isNotDone();
    answer(M4, 3);
    assertThat(read).isCompleted();
  }

  @Test
  void aLeaderThatIsNotAVoterAnyMoreDoesNotCount() {
    lead = lead(4, List.of(M2, M3));
    CompletableFuture<Void> read = rounds.await();
    answer(M2, 4);
    assertThat(read).isNotDone();
    answer(M3, 4);
    assertThat(read).isCompleted();
  }

  @Test
  void aMemberAloneNeedsNobody() {
    lead = lead(4, List.of(M1));
    assertThat(rounds.await()).isCompleted();
    assertThat(questions).isEmpty();
  }

  @Test
  void oneReadersImpatienceDoesNotEndTheRound() {
    CompletableFuture<Void> first = rounds.await();
    CompletableFuture<Void> second = rounds.await();
    CompletableFuture<Void> third = rounds.await();
    assertThat(second.cancel(true)).isTrue();
    answer(M2, 4);
    answer(M2, 4);
    assertThat(first).isCompleted();
    assertThat(third).isCompleted();
  }
}
