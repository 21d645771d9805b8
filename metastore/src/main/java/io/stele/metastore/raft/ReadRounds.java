package io.stele.metastore.raft;

import io.stele.base.error.NotServingException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Confirms that a member still leads, for reads that wait.
 *
 * <p>A round asks every other member for the newest term it knows. If a majority, this member
 * included, knows none above this member's, then no leader of a later term had been elected when
 * the round began: its voters and this majority have a member in common, which would have known. So
 * nothing that was acknowledged before the round began is missing here.
 *
 * <p>One round at a time; whoever comes while it runs waits for the next one, which begins when it
 * ends. So a read is covered only by answers that were asked for after it had come.
 */
final class ReadRounds {
  /**
   * A leader, ready, in its term.
   *
   * @param quorums each needs a majority: one set of members, or two while they change
   */
  record Lead(long term, Member self, List<Set<Member>> quorums) {
    Lead {
      quorums = List.copyOf(quorums);
    }

    Set<Member> others() {
      Set<Member> others = new HashSet<>();
      quorums.forEach(others::addAll);
      others.remove(self);
      return others;
    }
  }

  /** This member as it stands. */
  interface Leadership {
    /** Fails with {@link NotServingException} if this member does not lead or is not ready. */
    Lead current();
  }

  private final Leadership leadership;
  private final Function<Member, CompletableFuture<Long>> currentTerm;
  private final Duration timeout;

  // Guarded by this.
  private boolean running;
  private @Nullable CompletableFuture<Void> next;

  ReadRounds(
      Leadership leadership,
      Function<Member, CompletableFuture<Long>> currentTerm,
      Duration timeout) {
    this.leadership = leadership;
    this.currentTerm = currentTerm;
    this.timeout = timeout;
  }

  /** Completes with the first round that begins after this call. */
  CompletableFuture<Void> await() {
    CompletableFuture<Void> covered;
    CompletableFuture<Void> starting = null;
    synchronized (this) {
      covered = next;
      if (covered == null) {
        covered = new CompletableFuture<>();
        next = covered;
      }
      if (!running) {
        running = true;
        starting = covered;
        next = null;
      }
    }
    if (starting != null) {
      begin(starting);
    }
    // A copy, so that one reader's impatience does not end the round for all.
    return covered.copy();
  }

  private void begin(CompletableFuture<Void> waiters) {
    CompletableFuture<Void> confirmed;
    try {
      Lead lead = leadership.current();
      confirmed = confirm(lead).thenRun(() -> checkStill(lead));
    } catch (RuntimeException e) {
      confirmed = CompletableFuture.failedFuture(e);
    }
    var _ = confirmed.whenComplete((_, failure) -> end(waiters, failure));
  }

  private void end(CompletableFuture<Void> waiters, @Nullable Throwable failure) {
    CompletableFuture<Void> following;
    synchronized (this) {
      following = next;
      next = null;
      running = following != null;
    }
    if (following != null) {
      begin(following);
    }
    if (failure == null) {
      waiters.complete(null);
    } else {
      waiters.completeExceptionally(Futures.stele(failure));
    }
  }

  private void checkStill(Lead lead) {
    Lead now = leadership.current();
    if (now.term() != lead.term()) {
      throw new NotServingException(
          "member "
              + lead.self().id()
              + " led in term "
              + lead.term()
              + " and leads in term "
              + now.term()
              + " now: ask again");
    }
  }

  private CompletableFuture<Void> confirm(Lead lead) {
    Count count = new Count(lead);
    for (Member other : lead.others()) {
      var _ = ask(other).whenComplete((term, _) -> count.answered(other, term));
    }
    count.look();
    return count
        .done
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .exceptionally(
            failure -> {
              throw failure instanceof TimeoutException
                  ? count.unconfirmed()
                  : Futures.stele(failure);
            });
  }

  private CompletableFuture<Long> ask(Member other) {
    try {
      return currentTerm.apply(other);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The answers of one round. */
  private static final class Count {
    private final Lead lead;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Set<Member> agreed = new HashSet<>(); // guarded by this
    private final Set<Member> silent = new HashSet<>(); // guarded by this

    Count(Lead lead) {
      this.lead = lead;
      agreed.add(lead.self());
    }

    void answered(Member other, @Nullable Long term) {
      synchronized (this) {
        (term != null && term <= lead.term() ? agreed : silent).add(other);
      }
      if (term != null && term > lead.term()) {
        done.completeExceptionally(
            new NotServingException(
                "member "
                    + lead.self().id()
                    + " leads in term "
                    + lead.term()
                    + ", but member "
                    + other.id()
                    + " knows term "
                    + term));
      } else {
        look();
      }
    }

    void look() {
      boolean confirmed;
      boolean hopeless;
      synchronized (this) {
        confirmed = lead.quorums().stream().allMatch(set -> 2 * in(agreed, set) > set.size());
        hopeless = lead.quorums().stream().anyMatch(set -> 2 * in(silent, set) >= set.size());
      }
      if (confirmed) {
        done.complete(null);
      } else if (hopeless) {
        done.completeExceptionally(unconfirmed());
      }
    }

    private static long in(Set<Member> some, Set<Member> set) {
      return some.stream().filter(set::contains).count();
    }

    synchronized NotServingException unconfirmed() {
      return new NotServingException(
          "member "
              + lead.self().id()
              + " cannot confirm that it leads in term "
              + lead.term()
              + ": of "
              + lead.quorums().stream().map(Set::size).toList()
              + " members a majority must answer, and only these did: "
              + agreed.stream().map(Member::id).sorted().toList());
    }
  }
}
