package io.stele.gateway.nativeapi;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Notes what it is asked. */
final class FakeAdmin implements MemberAdmin {
  static final Member SELF = new Member("a", "host:1", "host:2");

  final List<String> asked = new CopyOnWriteArrayList<>();
  volatile @Nullable SteleException problem;
  volatile byte[] checkpoint = new byte[0];
  volatile byte[] restored = new byte[0];

  private List<Member> answer(String question) {
    asked.add(question);
    SteleException set = problem;
    if (set != null) {
      throw set;
    }
    return List.of(SELF);
  }

  @Override
  public List<Member> bootstrap(List<String> serviceAddresses) {
    return answer("bootstrap " + serviceAddresses);
  }

  @Override
  public List<Member> add(String serviceAddress) {
    return answer("add " + serviceAddress);
  }

  @Override
  public List<Member> remove(String memberId) {
    return answer("remove " + memberId);
  }

  @Override
  public List<Member> replace(String memberId, String serviceAddress) {
    return answer("replace " + memberId + " " + serviceAddress);
  }

  @Override
  public List<Member> transferLead(String memberId) {
    return answer("transfer " + memberId);
  }

  @Override
  public List<Member> restore(InputStream backup) throws IOException {
    List<Member> members = answer("restore");
    restored = backup.readAllBytes();
    return members;
  }

  @Override
  public PeerIdentity identify() {
    return new PeerIdentity(SELF, Optional.empty(), 1);
  }

  @Override
  public long currentTerm(String memberId) {
    if (!memberId.equals("a")) {
      throw new InvalidRequestException("this is a, and not " + memberId);
    }
    return 17;
  }

  @Override
  public void writeCheckpoint(OutputStream out) throws IOException {
    answer("checkpoint");
    out.write(checkpoint);
  }

  @Override
  public CompletableFuture<PeerIdentity> identify(Member member) {
    return CompletableFuture.failedFuture(new IOException("there are no others"));
  }

  @Override
  public Optional<String> fingerprint(long index) {
    return index == 7 ? Optional.of("digest") : Optional.empty();
  }

  @Override
  public boolean reserve(String group) {
    answer("reserve " + group);
    return group.equals("g");
  }

  @Override
  public void unreserve(String group) {
    answer("unreserve " + group);
  }

  @Override
  public void form(String group, String memberId, List<Member> members) {
    answer("form " + group + " " + memberId + " " + members);
  }
}
