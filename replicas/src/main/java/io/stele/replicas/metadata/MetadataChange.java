package io.stele.replicas.metadata;

import java.util.List;
import java.util.Optional;

/**
 * What is to become of a table's partitions.
 *
 * @param base the transaction it is based on: if another is valid by now, it fails
 * @param txn the new one's name, made up by who asks for the change, anew at each attempt
 */
public record MetadataChange(String base, String txn, Operation operation) {
  /** One change. All its ids are made up by who asks for it, so that everyone computes the same. */
  public sealed interface Operation {}

  /** Records that a partition is being split; fails if it is already. */
  public record BeginSplit(String partition, Partition.Split split) implements Operation {}

  /** Puts the halves in the place of a partition; fails if it is not being split so. */
  public record FinalizeSplit(String partition, String lower, String upper) implements Operation {}

  /**
   * Sends everything to another server, which becomes a member once it has it.
   *
   * @param partition or a half of one that is being split, in which it takes its place at once: the
   *     halves are sent everything anyway, and count only when they have it
   */
  public record Join(String partition, Assignment assignment, Optional<String> replaces)
      implements Operation {}

  /** Makes a server that has everything a member, in the place of the one it replaces. */
  public record FinalizeJoin(String partition, String assignment) implements Operation {}

  /**
   * Takes assignments out of a partition and of its halves: of those that join, and of members only
   * as long as one is left.
   */
  public record Leave(String partition, List<String> assignments) implements Operation {}
}
