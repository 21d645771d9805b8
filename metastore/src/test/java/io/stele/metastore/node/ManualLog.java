package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.raft.Consensus;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.Position;
import io.stele.metastore.raft.Replica;
import io.stele.metastore.raft.Standing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A log of which a test decides when entries are applied, who leads and what is confirmed. */
final class ManualLog implements Consensus<Applied> {
  @Override
  public long bytes() {
    return 0;
  }

  static final Member SELF = new Member("self", "127.0.0.1:1", "127.0.0.1:2");
  static final Member OTHER = new Member("other", "127.0.0.1:3", "127.0.0.1:4");

  record Entry(Bytes bytes, CompletableFuture<Applied> answer) {
    List<Command> commands() {
      return EntryCodec.decode("entry", bytes);
    }
  }

  final Deque<Entry> entries = new ArrayDeque<>();
  final List<CompletableFuture<Void>> barriers = new ArrayList<>();
  boolean automatic = true; // applies at once
  boolean holdsBarriers;
  List<Member> members = List.of(SELF);
  int proposed;
  int barriersAsked;
  private final Replica<Applied> replica;
  private boolean leads;
  private long term;
  private long index;

  ManualLog(Replica<Applied> replica) {
    this.replica = replica;
    this.term = replica.flushed().term();
    this.index = replica.flushed().index();
  }

  void lead(long newTerm) {
    term = newTerm;
    leads = true;
    replica.leads(newTerm);
  }

  /** Another member leads; what is under way may or may not be applied. */
  void depose() {
    leads = false;
    replica.follows();
    List<Entry> lost = List.copyOf(entries);
    entries.clear();
    lost.forEach(
        e -> e.answer().completeExceptionally(new OutcomeUnknownException("the leader changed")));
  }

  /** An entry of another leader reaches this member. */
  Applied applyFromElsewhere(Command... commands) {
    index++;
    return replica.apply(new Position(term, index), EntryCodec.encode(List.of(commands)));
  }

  void applyNext() {
    Entry entry = entries.removeFirst();
    index++;
    entry.answer().complete(replica.apply(new Position(term, index), entry.bytes()));
  }

  void applyAll() {
    while (!entries.isEmpty()) {
      applyNext();
    }
  }

  @Override
  public CompletableFuture<Applied> propose(Bytes entry) {
    if (!leads) {
      return CompletableFuture.failedFuture(notServing());
    }
    proposed++;
    Entry added = new Entry(entry, new CompletableFuture<>());
    entries.addLast(added);
    if (automatic) {
      applyAll();
    }
    return added.answer();
  }

  private static NotServingException notServing() {
    return new NotServingException("member self does not lead", OTHER.serviceAddress());
  }

  @Override
  public CompletableFuture<Void> readBarrier() {
    barriersAsked++;
    if (!leads) {
      return CompletableFuture.failedFuture(notServing());
    }
    CompletableFuture<Void> barrier = new CompletableFuture<>();
    if (holdsBarriers) {
      barriers.add(barrier);
    } else {
      barrier.complete(null);
    }
    return barrier;
  }

  /** Decides on all barriers that are held. */
  void confirmBarriers(boolean stillLeads) {
    List<CompletableFuture<Void>> held = List.copyOf(barriers);
    barriers.clear();
    for (CompletableFuture<Void> barrier : held) {
      if (stillLeads) {
        barrier.complete(null);
      } else {
        barrier.completeExceptionally(notServing());
      }
    }
  }

  @Override
  public CompletableFuture<Void> changeMembers(List<Member> members) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> transferLead(String memberId) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public Position checkpoint() {
    return replica.flush();
  }

  @Override
  public Standing standing() {
    return new Standing(
        SELF,
        leads ? Standing.Role.LEADER : Standing.Role.FOLLOWER,
        leads,
        term,
        Optional.of(leads ? SELF : OTHER),
        members,
        index,
        index);
  }

  @Override
  public void close() {}
}
