package io.stele.engine;

import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.commitlog.LogReplay;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.merge.ErasureExpiry;
import io.stele.engine.merge.Resolution;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Keeps the {@link TxnMarks} of a store, if it is resolved by time; does nothing if it is not. */
final class TxnMarker implements LogReplay.Skips {
  private final FileStore files;
  private final boolean byTime;
  private final Clock clock;
  private TxnMarks marks; // guarded by this

  private TxnMarker(FileStore files, boolean byTime, Clock clock, TxnMarks marks) {
    this.files = files;
    this.byTime = byTime;
    this.clock = clock;
    this.marks = marks;
  }

  static TxnMarker open(FileStore files, Resolution resolution, Clock clock) throws IOException {
    boolean byTime = resolution.isByTime();
    return new TxnMarker(files, byTime, clock, byTime ? TxnMarks.load(files) : TxnMarks.EMPTY);
  }

  @Override
  public synchronized boolean skipped(long last, long next) {
    return marks.skipped(last, next);
  }

  /** A run begins; answers the transaction behind which it does. */
  synchronized long begin(long newest, long flushedTxn) throws IOException {
    if (!byTime) {
      return newest;
    }
    long start = Math.max(newest, marks.reserved());
    save(marks.begin(newest, flushedTxn));
    return start;
  }

  /**
   * Which erasures a rewrite of some links that includes the oldest may drop.
   *
   * @param newest the newest transaction, as of a moment ago
   */
  synchronized ErasureExpiry expiry(
      Resolution resolution, long newest, Supplier<Chain> chain, List<Link> inputs)
      throws IOException {
    if (!(resolution instanceof Resolution.ByTime(long grace))) {
      return ErasureExpiry.NEVER;
    }
    long now = clock.micros();
    save(marks.note(now, newest, grace));
    // An erasure also hides what came behind it and is in other fragments. What comes after this
    // moment and is hidden by an erasure of that age comes too late.
    long time = now - grace;
    Set<Fragment> rewritten = new HashSet<>();
    inputs.forEach(link -> rewritten.add(link.fragment()));
    for (Fragment fragment : chain.get().fragments()) {
      if (!rewritten.contains(fragment)) {
        time = Math.min(time, fragment.minTimestamp());
      }
    }
    return new ErasureExpiry(marks.txnAt(now - grace), time);
  }

  private void save(TxnMarks next) throws IOException {
    if (!next.equals(marks)) {
      next.save(files);
      marks = next;
    }
  }
}
