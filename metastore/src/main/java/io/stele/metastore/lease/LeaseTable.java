package io.stele.metastore.lease;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases that live. Changed by the thread that applies commands; others may look at any time.
 */
public final class LeaseTable {
  private final Map<Long, Lease> leases = new ConcurrentHashMap<>();
  private final Map<Long, Integer> keys = new HashMap<>(); // only for the applying thread

  public Optional<Lease> get(long id) {
    return Optional.ofNullable(leases.get(id));
  }

  public boolean lives(long id) {
    return leases.containsKey(id);
  }

  /** All of them, in no order. */
  public List<Lease> all() {
    return new ArrayList<>(leases.values());
  }

  public int size() {
    return leases.size();
  }

  public void add(Lease lease) {
    leases.put(lease.id(), lease);
  }

  public void remove(long id) {
    leases.remove(id);
    keys.remove(id);
  }

  /** How many keys end with a lease. */
  public int keys(long id) {
    return keys.getOrDefault(id, 0);
  }

  public void addKeys(long id, int more) {
    keys.merge(id, more, Integer::sum);
  }
}
