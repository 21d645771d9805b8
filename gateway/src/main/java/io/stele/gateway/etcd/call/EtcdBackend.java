package io.stele.gateway.etcd.call;

import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.metastore.Metastore;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.Standing;
import io.stele.protocol.etcd.ResponseHeader;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What stands behind the services: a metastore, once there is one, and its place in its group. */
public final class EtcdBackend {
  /** For how long a header may name a term that has passed. Nobody acts on it. */
  private static final long HEADER_NANOS = 100_000_000;

  /**
   * Who leads, as this member knows it.
   *
   * @param leader its id; empty if there is none
   * @param usable whether it can take requests: not if it is this member, and has yet to apply what
   *     was committed before it was elected
   */
  public record Lead(long term, Optional<String> leader, boolean usable) {
    private static final Lead NONE = new Lead(0, Optional.empty(), false);
  }

  /** A header without its revision, whether there is a leader, and until when both may be used. */
  private record Known(ResponseHeader header, boolean hasLeader, long untilNanos) {}

  /** The last header that was made: many watchers are told of one revision. */
  private record Stamped(Known known, ResponseHeader header) {}

  private final AtomicReference<@Nullable Metastore> metastore = new AtomicReference<>();
  private final AtomicReference<@Nullable MemberAdmin> admin = new AtomicReference<>();
  private final OpenStreams streams = new OpenStreams();
  private final Clock clock;
  private volatile @Nullable Known known;
  private volatile @Nullable Stamped stamped;

  public EtcdBackend(Clock clock) {
    this.clock = clock;
  }

  public void serve(Metastore served, MemberAdmin members) {
    admin.set(members);
    metastore.set(served);
  }

  public OpenStreams streams() {
    return streams;
  }

  public Metastore metastore() {
    Metastore served = metastore.get();
    if (served == null) {
      throw new NotServingException("this server serves no metastore yet");
    }
    return served;
  }

  public MemberAdmin admin() {
    MemberAdmin served = admin.get();
    if (served == null) {
      throw new NotServingException("this server serves no metastore yet");
    }
    return served;
  }

  /** The header of an answer about the state at a revision. */
  @SuppressWarnings("ReferenceEquality") // whether it was made of what is known now
  public ResponseHeader header(long revision) {
    Known now = known();
    Stamped last = stamped;
    if (last == null || last.known != now || last.header.getRevision() != revision) {
      last = new Stamped(now, now.header().toBuilder().setRevision(revision).build());
      stamped = last;
    }
    return last.header;
  }

  /** Whether this member knows of a leader. */
  public boolean hasLeader() {
    return known().hasLeader();
  }

  /** Unlike {@link #hasLeader}, as of now. */
  public Lead lead() {
    Standing standing;
    try {
      standing = metastore().status().standing();
    } catch (SteleException e) {
      return Lead.NONE; // it is being opened or closed
    }
    Optional<String> leader = standing.leader().map(Member::id);
    boolean own = leader.equals(Optional.of(standing.self().id()));
    return new Lead(standing.term(), leader, leader.isPresent() && (!own || standing.ready()));
  }

  private Known known() {
    Known last = known;
    long now = clock.nanos();
    if (last == null || now - last.untilNanos >= 0) {
      MetastoreStatus status = metastore().status();
      last =
          new Known(
              ResponseHeader.newBuilder()
                  .setClusterId(MemberIds.ofGroup(status.group()))
                  .setMemberId(MemberIds.of(status.standing().self().id()))
                  .setRaftTerm(status.standing().term())
                  .build(),
              status.standing().leader().isPresent(),
              now + HEADER_NANOS);
      known = last;
    }
    return last;
  }

  /** The header of an answer that is about no revision in particular. */
  public ResponseHeader header() {
    return header(metastore().revision());
  }
}
