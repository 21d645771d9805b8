package io.stele.client.call;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers of a group, and the one that is asked at present: the leader where it is known, since
 * others only pass on.
 */
public final class Endpoints implements AutoCloseable {
  private static final int MOST_LEARNT = 16;

  private final String principal;
  private final Optional<Secured> secured;
  private final List<String> addresses;
  private final ConcurrentHashMap<String, Endpoint> opened = new ConcurrentHashMap<>();
  private volatile List<String> all; // those that were given, then some that were learnt
  private volatile Endpoint current;
  private volatile boolean closed;

  public Endpoints(List<String> addresses, CallSettings settings) {
    if (addresses.isEmpty()) {
      throw new InvalidRequestException("no endpoints: must be at least one HOST:PORT");
    }
    this.principal = settings.principal();
    this.secured = settings.tls().map(Secured::by);
    this.addresses = List.copyOf(new LinkedHashSet<>(addresses));
    this.all = this.addresses;
    this.addresses.forEach(this::at);
    this.current = at(this.addresses.getFirst());
  }

  /** As they were given. */
  public List<String> addresses() {
    return addresses;
  }

  /** How many are asked in turn. */
  public int size() {
    return all.size();
  }

  /**
   * Another server of the group, which may be asked when those that were given are gone. Only some
   * are kept, the latest.
   */
  public void learn(Endpoint server) {
    if (!all.contains(server.address())) {
      learnNew(server.address());
    }
  }

  private synchronized void learnNew(String address) {
    List<String> more = new ArrayList<>(all);
    if (more.contains(address)) {
      return;
    }
    more.add(address);
    if (more.size() > addresses.size() + MOST_LEARNT) {
      more.remove(addresses.size());
    }
    all = List.copyOf(more);
  }

  public Endpoint current() {
    return current;
  }

  /** A server by its address, given or learnt. */
  public Endpoint at(String address) {
    Endpoint known = opened.get(address);
    if (known == null) {
      known = opened.computeIfAbsent(address, a -> new Endpoint(a, principal, secured));
    }
    if (closed) {
      known.close();
      throw new UnavailableException("endpoint " + address + ": the client is closed");
    }
    return known;
  }

  /** Asks another one from now on, unless somebody has seen to that already. */
  public synchronized void leave(Endpoint failed) {
    if (current == failed) {
      List<String> inTurn = all;
      int next = (inTurn.indexOf(failed.address()) + 1) % inTurn.size();
      current = at(inTurn.get(next));
    }
  }

  /** As {@link #leave}; also noted if there was no connection at all. */
  public void lost(Endpoint failed, boolean unreachable) {
    if (unreachable) {
      failed.unreachable();
    }
    leave(failed);
  }

  /** Asks this one from now on. */
  public synchronized void follow(String leader) {
    if (!current.address().equals(leader)) {
      current = at(leader);
    }
  }

  @Override
  public void close() {
    closed = true;
    opened.values().forEach(Endpoint::close);
  }
}
