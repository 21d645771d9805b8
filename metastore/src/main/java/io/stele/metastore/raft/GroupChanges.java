package io.stele.metastore.raft;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What an operator asks of a group: to begin, to grow, to shrink. Calls wait until it is done.
 *
 * <p>A group begins by one call at one of its servers. It reserves all of them, in the order of
 * their addresses, so that of two calls at the same time at most one gets them all; only then are
 * they made members. From the first one made, the group exists.
 *
 * <p>Only the leader changes a group; the others answer {@link NotServingException} with its
 * address, as they do to everything else.
 */
public final class GroupChanges<A> {
  private final GroupMember<A> member;
  private final ReentrantLock operation = new ReentrantLock();

  public GroupChanges(GroupMember<A> member) {
    this.member = member;
  }

  /**
   * Makes the servers at these addresses, this one among them, a new group. One that is reserved
   * and then does not answer takes part later: see {@link #formOthers}.
   *
   * @return its id
   * @throws ConflictException if one of them belongs to a group, or is being made a member of one;
   *     then none of them is changed
   */
  public String bootstrap(List<String> serviceAddresses) {
    return alone(() -> bootstrapAlone(new TreeSet<>(serviceAddresses), serviceAddresses.size()));
  }

  private String bootstrapAlone(NavigableSet<String> addresses, int given) {
    String own = member.self().serviceAddress();
    if (addresses.size() != given || !addresses.contains(own)) {
      throw new InvalidRequestException(
          "servers for a new group: "
              + addresses
              + " must be different, and this one, "
              + own
              + ", one of them");
    }
    if (addresses.size() == 1) {
      return formAlone();
    }
    List<Member> members = identifyFree(addresses);
    String group = member.newGroup();
    reserveAll(addresses, group);
    // This one first: from then on the group exists, so nothing below may fail the call.
    member.begin(group, members);
    try {
      formOthers();
    } catch (UnavailableException e) {
      member
          .events()
          .publish(
              new RaftEvent.FormingDelayed(member.self().id(), String.valueOf(e.getMessage())));
    }
    return group;
  }

  private String formAlone() {
    try {
      member.formSolo();
      return member.identity().group().orElseThrow();
    } catch (IOException e) {
      throw new UnavailableException(
          "server " + member.self().serviceAddress() + " did not form a group: " + e, e);
    }
  }

  private List<Member> identifyFree(Set<String> addresses) {
    List<Member> members = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (String address : addresses) {
      PeerIdentity identity = identify(address);
      identity
          .group()
          .ifPresent(
              group -> {
                throw new ConflictException(
                    "server "
                        + address
                        + " belongs to the group "
                        + group
                        + " already: a group begins once; add servers to it instead");
              });
      if (!ids.add(identity.member().id())) {
        throw new InvalidRequestException(
            "servers for a new group: "
                + address
                + " has the id "
                + identity.member().id()
                + " of another one");
      }
      members.add(identity.member());
    }
    return members;
  }

  private void reserveAll(NavigableSet<String> addresses, String group) {
    List<String> reserved = new ArrayList<>();
    try {
      for (String address : addresses) {
        if (!reserve(address, group)) {
          throw new ConflictException(
              "server "
                  + address
                  + " is being made a member of another group: look which one it joins");
        }
        reserved.add(address);
      }
    } catch (RuntimeException e) {
      reserved.forEach(address -> release(address, group));
      throw e;
    }
  }

  /**
   * Has the others of the first members take part, if this server began the group and does not know
   * yet that they do: to be called until {@link #isForming} ends, also after a restart. Once they
   * did, a server that belongs to no group has lost what it had voted for and stored, and must not
   * pass for the member it was.
   */
  public void formOthers() {
    String group = member.identity().group().orElse("");
    List<Member> first = member.forming();
    if (first.isEmpty()) {
      return;
    }
    Map<String, CompletableFuture<Void>> asked = new TreeMap<>();
    for (Member other : first) {
      if (!other.equals(member.self())) {
        asked.put(
            other.serviceAddress(),
            member.link().form(other.serviceAddress(), group, other.id(), first));
      }
    }
    TreeMap<String, SteleException> failed = new TreeMap<>();
    asked.forEach(
        (address, answer) -> {
          try {
            await(answer, "server " + address + " did not take part");
          } catch (SteleException e) {
            failed.put(address, e);
          }
        });
    if (!failed.isEmpty()) {
      throw new UnavailableException(
          "group "
              + group
              + " began, but these of its servers do not take part yet: "
              + failed
              + "; it works if a majority does");
    }
    try {
      member.formed();
    } catch (IOException e) {
      throw new UnavailableException("group " + group + " began, but: " + e, e);
    }
  }

  /** Whether this server began a group and does not know yet that all others take part. */
  public boolean isForming() {
    return !member.forming().isEmpty();
  }

  /**
   * Takes the server at this address into the group, after it has caught up. If it fails on the
   * way, the same call again goes on.
   */
  public Member add(String serviceAddress) {
    return alone(() -> join(serviceAddress, Optional.empty()));
  }

  /** Takes a server into the group in the place of one that is dead, in one change. */
  public Member replace(String memberId, String serviceAddress) {
    return alone(
        () -> {
          leaveTo(memberId);
          return join(serviceAddress, Optional.of(memberId));
        });
  }

  /** Has a member leave the group. */
  public void remove(String memberId) {
    alone(
        () -> {
          leaveTo(memberId);
          List<Member> left = without(memberId);
          change(left);
          return memberId;
        });
  }

  private Member join(String address, Optional<String> inPlaceOf) {
    Standing standing = leading();
    PeerIdentity identity = identify(address);
    Member newcomer = identity.member();
    String group = member.identity().group().orElseThrow();
    if (identity.group().filter(other -> !other.equals(group)).isPresent()) {
      throw new ConflictException(
          "server "
              + address
              + " belongs to the group "
              + identity.group().get()
              + ": it needs an empty directory to join another");
    }
    if (identity.version() < member.version()) {
      throw new InvalidRequestException(
          "server "
              + address
              + " can apply cluster versions up to "
              + identity.version()
              + ", and the group is at "
              + member.version()
              + ": start the group's program there");
    }
    if (standing.members().stream().anyMatch(one -> one.id().equals(newcomer.id()))) {
      return alreadyMember(identity);
    }
    member.grow();
    member.awaitReady();
    if (identity.group().isEmpty()) {
      takeIn(newcomer, group);
    }
    List<Member> members = new ArrayList<>(member.standing().members());
    inPlaceOf.ifPresent(dead -> members.removeIf(one -> one.id().equals(dead)));
    members.add(newcomer);
    change(members);
    return newcomer;
  }

  private static Member alreadyMember(PeerIdentity identity) {
    Member known = identity.member();
    if (identity.group().isEmpty()) {
      throw new ConflictException(
          "member "
              + known.id()
              + " belongs to the group, but its server at "
              + known.serviceAddress()
              + " has an empty directory: it lost what it had stored. Remove the member, then add"
              + " the server");
    }
    return known;
  }

  private void takeIn(Member newcomer, String group) {
    String address = newcomer.serviceAddress();
    if (!reserve(address, group)) {
      throw new ConflictException("server " + address + " is being made a member of another group");
    }
    await(
        member.link().form(address, group, newcomer.id(), List.of()),
        "server " + address + " did not take part");
  }

  private void change(List<Member> members) {
    Futures.join(member.changeMembers(members));
  }

  /** A leader that is to go hands over, and has the next one do the rest. */
  private void leaveTo(String memberId) {
    leading();
    List<Member> others = without(memberId);
    if (!memberId.equals(member.self().id())) {
      return;
    }
    Member next = others.getFirst();
    Futures.join(member.transferLead(next.id()));
    throw new NotServingException(
        "member " + memberId + " has handed over to " + next.id() + ": ask it",
        next.serviceAddress());
  }

  private List<Member> without(String memberId) {
    List<Member> members = new ArrayList<>(member.standing().members());
    if (!members.removeIf(one -> one.id().equals(memberId))) {
      throw new NotFoundException(
          "member " + memberId + ": the members are " + members.stream().map(Member::id).toList());
    }
    if (members.isEmpty()) {
      throw new InvalidRequestException(
          "member " + memberId + " is the only one: a group cannot be without members");
    }
    return members;
  }

  // ---- this server and others

  private Standing leading() {
    Standing standing = member.log().standing();
    if (!standing.ready()) {
      Optional<Member> leader = standing.leader().filter(one -> !one.equals(member.self()));
      throw new NotServingException(
          "member "
              + member.self().id()
              + " does not lead"
              + leader.map(one -> "; member " + one.id() + " does").orElse(""),
          leader.map(Member::serviceAddress).orElse(null));
    }
    return standing;
  }

  private PeerIdentity identify(String address) {
    return address.equals(member.self().serviceAddress())
        ? member.identity()
        : await(member.link().identify(address), "server " + address + " did not say who it is");
  }

  private boolean reserve(String address, String group) {
    return address.equals(member.self().serviceAddress())
        ? member.reserve(group)
        : await(member.link().reserve(address, group), "server " + address + " was not reserved");
  }

  private void release(String address, String group) {
    if (address.equals(member.self().serviceAddress())) {
      member.release(group);
    } else {
      // A server that does not hear of it is free again after a while.
      var _ = member.link().release(address, group);
    }
  }

  private <T> T await(CompletableFuture<T> answer, String failure) {
    CompletableFuture<T> limited =
        answer.copy().orTimeout(member.settings().answer().toNanos(), TimeUnit.NANOSECONDS);
    try {
      return Futures.join(limited);
    } catch (UnavailableException e) {
      String reason =
          e.getCause() instanceof TimeoutException
              ? "no answer in " + member.settings().answer()
              : e.getMessage();
      throw new UnavailableException(failure + ": " + reason, e);
    }
  }

  private <T> T alone(Supplier<T> change) {
    if (!operation.tryLock()) {
      throw new ConflictException(
          "another change of the group is under way at member " + member.self().id());
    }
    try {
      return change.get();
    } finally {
      operation.unlock();
    }
  }
}
