package io.stele.metastore.node;

import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.Command;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.Standing;
import io.stele.metastore.state.MetastoreState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Raises the cluster version, by the leader, as soon as every member says that it can apply the
 * next one; and has the leader's limits hold for all. A member that does not answer, or runs an
 * older program, holds it up.
 *
 * <p>One thread calls it; answers of others come on any.
 */
final class VersionDuty {
  private static final long AGAIN_NANOS = Duration.ofSeconds(2).toNanos();

  private final MetastoreState state;
  private final Proposer proposer;
  private final Function<Member, CompletableFuture<Integer>> newestOf;
  private final Supplier<Standing> standing;
  private volatile long next;

  /**
   * The duty of one member.
   *
   * @param newestOf asks a member for the newest version that it can apply
   */
  VersionDuty(
      MetastoreState state,
      Proposer proposer,
      Supplier<Standing> standing,
      Function<Member, CompletableFuture<Integer>> newestOf) {
    this.state = state;
    this.proposer = proposer;
    this.standing = standing;
    this.newestOf = newestOf;
  }

  void leads(long now) {
    next = now;
  }

  void tick(long now) {
    ClusterState agreed = state.cluster();
    boolean raisable = agreed.version() < state.newestVersion();
    if (now - next < 0 || (!raisable && agreed.limits().equals(state.ownLimits()))) {
      return;
    }
    next = now + AGAIN_NANOS;
    if (!raisable) {
      propose(agreed.version());
      return;
    }
    Standing group = standing.get();
    List<CompletableFuture<Integer>> others =
        group.members().stream()
            .filter(member -> !member.id().equals(group.self().id()))
            .map(newestOf)
            .toList();
    var _ =
        CompletableFuture.allOf(others.toArray(CompletableFuture[]::new))
            .thenRun(
                () -> {
                  int common = state.newestVersion();
                  for (CompletableFuture<Integer> other : others) {
                    common = Math.min(common, other.join());
                  }
                  if (common > agreed.version()) {
                    propose(common);
                  }
                });
  }

  private void propose(int version) {
    var _ = proposer.propose(new Command.SetVersion(new ClusterState(version, state.ownLimits())));
  }
}
