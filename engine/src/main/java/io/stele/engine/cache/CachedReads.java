package io.stele.engine.cache;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads that must not wait for a file, for threads that serve many connections: as soon as a block
 * is wanted that is not in the cache, the whole read is given up.
 *
 * <pre>{@code
 * Optional<Answer> quick = CachedReads.attempt(() -> read(store));
 * return quick.isPresent()
 *     ? CompletableFuture.completedFuture(quick.get())
 *     : CompletableFuture.supplyAsync(() -> read(store), threads);
 * }</pre>
 */
public final class CachedReads {
  private static final ScopedValue<Boolean> CACHED_ONLY = ScopedValue.newInstance();

  /** Thrown through cursors and pins, which let go of what they hold as at any other failure. */
  private static final class NotCached extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NotCached() {
      super("a block is not in the cache", null, false, false);
    }
  }

  private CachedReads() {}

  /** What a read of stores returns, or nothing if it would have to load a block. */
  public static <T> Optional<T> attempt(Supplier<T> read) {
    try {
      return Optional.of(ScopedValue.where(CACHED_ONLY, true).call(read::get));
    } catch (NotCached e) {
      return Optional.empty();
    }
  }

  /** Called before a block is loaded. */
  static void checkMayLoad() {
    if (CACHED_ONLY.isBound()) {
      throw new NotCached();
    }
  }
}
