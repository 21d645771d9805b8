package io.stele.metastore.node;

import io.stele.base.event.Events;
import io.stele.metastore.command.Command;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.Standing;
import io.stele.metastore.state.MetastoreState;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Compares what the members have made of the same log. From time to time the leader proposes {@link
 * Command.TakeFingerprint}: each member pins its state behind that entry and digests it in the
 * background, one at a time. The leader then asks the others for theirs, and raises an event for
 * each that differs: that member's state is damaged, or its program applied something else.
 */
final class FingerprintDuty {
  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

  /** Asks another member. */
  interface Question {
    CompletableFuture<Optional<String>> fingerprint(Member member, long index);
  }

  private final Duration interval;
  private final MetastoreState state;
  private final Proposer proposer;
  private final Question question;
  private final Supplier<Standing> standing;
  private final Events events;
  private final Executor executor;
  private final AtomicBoolean digesting = new AtomicBoolean();

  /** Members whose fingerprint of the entry below has come. */
  private final Set<String> compared = ConcurrentHashMap.newKeySet();

  private volatile long comparing; // the entry; 0 for none
  private volatile long nextRound;
  private volatile long nextLook;

  FingerprintDuty(
      Duration interval,
      MetastoreState state,
      Proposer proposer,
      Supplier<Standing> standing,
      Question question,
      Events events,
      Executor executor) {
    this.interval = interval;
    this.state = state;
    this.proposer = proposer;
    this.question = question;
    this.standing = standing;
    this.events = events;
    this.executor = executor;
  }

  void leads(long now) {
    comparing = 0;
    nextRound = now + interval.toNanos();
    nextLook = now;
  }

  /** The entry with the command has been applied, on any member. */
  void take() {
    if (!digesting.compareAndSet(false, true)) {
      return; // the one before takes long: this one is left out
    }
    Runnable job = state.fingerprinting();
    executor.execute(
        () -> {
          try {
            job.run();
          } finally {
            digesting.set(false);
          }
        });
  }

  /** By the leader. One thread at a time. */
  void tick(long now) {
    if (interval.isZero() || state.version() < 2) {
      return;
    }
    if (now - nextRound >= 0) {
      nextRound = now + interval.toNanos();
      if (standing.get().members().size() > 1) {
        comparing = 0;
        compared.clear();
        var _ = proposer.propose(new Command.TakeFingerprint());
      }
    }
    if (now - nextLook >= 0 && state.fingerprinted() > 0) {
      nextLook = now + AGAIN_NANOS;
      compareNewest();
    }
  }

  private void compareNewest() {
    long index = state.fingerprinted();
    if (index != comparing) {
      comparing = index;
      compared.clear();
    }
    Optional<String> own = state.fingerprint(index);
    Standing group = standing.get();
    if (own.isEmpty()) {
      return;
    }
    for (Member member : group.members()) {
      if (!member.id().equals(group.self().id()) && !compared.contains(member.id())) {
        var _ =
            question
                .fingerprint(member, index)
                .thenAccept(
                    other -> other.ifPresent(digest -> compare(index, member, own.get(), digest)));
      }
    }
  }

  private void compare(long index, Member member, String own, String other) {
    if (index == comparing && compared.add(member.id()) && !own.equals(other)) {
      events.publish(new NodeEvent.FingerprintsDiffer(index, own, member.id(), other));
    }
  }
}
