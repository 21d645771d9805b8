package io.stele.client.call;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers of a group, and the one that is asked at present: the leader where it is known, since
 * others only pass on.
 */
public final class Endpoints implements AutoCloseable {
  private final String principal;
  private final List<String> addresses;
  private final ConcurrentHashMap<String, Endpoint> opened = new ConcurrentHashMap<>();
  private volatile Endpoint current;
  private volatile boolean closed;

  public Endpoints(List<String> addresses, String principal) {
    if (addresses.isEmpty()) {
      throw new InvalidRequestException("no endpoints: must be at least one HOST:PORT");
    }
    this.principal = principal;
    this.addresses = List.copyOf(new LinkedHashSet<>(addresses));
    this.addresses.forEach(this::at);
    this.current = at(this.addresses.getFirst());
  }

  /** As they were given. */
  public List<String> addresses() {
    return addresses;
  }

  public int size() {
    return addresses.size();
  }

  public Endpoint current() {
    return current;
  }

  /** A server by its address, given or learnt. */
  public Endpoint at(String address) {
    Endpoint known = opened.get(address);
    if (known == null) {
      known = opened.computeIfAbsent(address, a -> new Endpoint(a, principal));
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
      int next = (addresses.indexOf(failed.address()) + 1) % addresses.size();
      current = at(addresses.get(next));
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
