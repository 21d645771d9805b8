package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;

/**
 * Makes the one member that is left of a group a group of its own, when the others will never come
 * back: etcd's <em>force new cluster</em>. It keeps all that this member has, whether or not a
 * majority had it; what only others had is lost.
 *
 * <pre>
 *   log ──▶ state, flushed ──▶ checkpoint ──▶ state with a jump ──▶ file member: solo, a new group
 * </pre>
 *
 * <p>The ids of sessions, fencing tokens and revisions jump as after a restore ({@link
 * Replica#restore}), since the lost members may have given out some that this one never saw. A
 * crash before the last step leaves the member in its old group, and the same again goes on from
 * there.
 */
public final class RatisSurvivor {
  private static final Duration ANSWER = Duration.ofSeconds(3);

  private final GroupMember.Place place;
  private final Replica<?> replica;
  private final PeerLink link;

  public RatisSurvivor(GroupMember.Place place, Replica<?> replica, PeerLink link) {
    this.place = place;
    this.replica = replica;
    this.link = link;
  }

  /**
   * Does it, before the member is opened.
   *
   * @return the id of the new group; nothing if the member is alone in its group already
   * @throws ConflictException if another member of the group answers
   */
  public Optional<String> takeOver(RandomGenerator random) throws IOException {
    Optional<Membership> found = Membership.load(place.files());
    if (found.isPresent() && found.get() instanceof Membership.Solo) {
      return Optional.empty();
    }
    if (found.isEmpty() || !(found.get() instanceof Membership.Raft raft)) {
      throw new InvalidRequestException(
          place.files().describe() + " belongs to no group: there is nothing to take over from it");
    }
    Path directory =
        place
            .raftDirectory()
            .orElseThrow(() -> new InvalidRequestException("a member without a log of its own"));
    Set<Member> others = new LinkedHashSet<>(raft.first());
    new RatisStorage(directory).read(raft.groupId(), entry -> take(entry, others));
    others.removeIf(member -> member.id().equals(raft.id()));
    others.forEach(member -> checkGone(member, raft.groupId()));
    replica.flush();
    jump(directory.resolveSibling("survivor.tmp"));
    String group = new UUID(random.nextLong(), random.nextLong()).toString();
    new Membership.Solo(raft.id(), group).save(place.files());
    return Optional.of(group);
  }

  private void take(LogEntryProto entry, Set<Member> others) {
    Position position = RatisNames.position(entry.getTerm(), entry.getIndex());
    if (entry.hasConfigurationEntry()) {
      entry.getConfigurationEntry().getPeersList().forEach(p -> others.add(RatisNames.member(p)));
    }
    long before = replica.flushed().index();
    if (position.index() <= before) {
      return;
    }
    if (entry.hasStateMachineLogEntry()) {
      replica.apply(
          position, Bytes.wrap(entry.getStateMachineLogEntry().getLogData().toByteArray()));
    } else {
      replica.skip(position);
    }
  }

  /** A group whose other members live must not be split in two. */
  private void checkGone(Member member, String group) {
    PeerIdentity answer;
    try {
      answer =
          Futures.join(
              link.identify(member.serviceAddress())
                  .orTimeout(ANSWER.toNanos(), TimeUnit.NANOSECONDS));
    } catch (SteleException e) {
      return; // as is to be expected
    }
    if (answer.group().filter(group::equals).isPresent()) {
      throw new ConflictException(
          "member "
              + member.id()
              + " of the same group answers at "
              + member.serviceAddress()
              + ": stop it for good before this one takes over, or let the two go on");
    }
  }

  private void jump(Path file) throws IOException {
    try {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
        replica.writeCheckpoint(out);
      }
      try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
        replica.restore(in);
      }
    } catch (RuntimeException e) {
      throw new UnavailableException("state not taken over: " + e.getMessage(), e);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
