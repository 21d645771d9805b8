package io.stele.base.file;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Counts a store's calls and fails those it was told to. Any thread. */
final class StoreFaults {
  /**
   * A failure to come.
   *
   * @param first the number of the first call that fails
   * @param last the number of the last
   */
  private record Fault(
      StoreCall call, long first, long last, Supplier<? extends IOException> failure) {}

  private final ConcurrentMap<StoreCall, Long> counts = new ConcurrentHashMap<>();
  private final List<Fault> faults = new CopyOnWriteArrayList<>();

  long count(StoreCall call) {
    return counts.getOrDefault(call, 0L);
  }

  /** Fails the {@code n}th call from now, and all later ones too if asked. */
  void add(StoreCall call, long n, boolean andLater, Supplier<? extends IOException> failure) {
    if (n < 1) {
      throw new IllegalArgumentException("call number " + n + " of " + call + ": they start at 1");
    }
    long number = count(call) + n;
    faults.add(new Fault(call, number, andLater ? Long.MAX_VALUE : number, failure));
  }

  void clear() {
    faults.clear();
  }

  /** Notes a call and throws if it is to fail. */
  void check(StoreCall call) throws IOException {
    long number = counts.merge(call, 1L, Long::sum);
    for (Fault fault : faults) {
      if (fault.call == call && fault.first <= number && number <= fault.last) {
        throw fault.failure.get();
      }
    }
  }
}
