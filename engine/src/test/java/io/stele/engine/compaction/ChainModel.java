package io.stele.engine.compaction;

import java.util.ArrayList;
import java.util.List;

/**
 * A chain of fragments that are only sizes, merged as plans say. A rooted merge drops the erasures,
 * and for each of them one cell that it hid; nothing else ever vanishes.
 */
final class ChainModel {
  private final List<FragmentShape> chain = new ArrayList<>();
  private long flushedBytes;
  private long writtenBytes;

  ChainModel(List<FragmentShape> chain) {
    this.chain.addAll(chain);
  }

  List<FragmentShape> chain() {
    return List.copyOf(chain);
  }

  void flush(FragmentShape fragment) {
    chain.add(fragment);
    flushedBytes += fragment.bytes();
    writtenBytes += fragment.bytes();
  }

  void merge(CompactionPlan plan) {
    List<FragmentShape> inputs = chain.subList(plan.from(), plan.to());
    FragmentShape output = merged(inputs, plan.rooted());
    inputs.clear();
    chain.add(plan.from(), output);
    writtenBytes += output.bytes();
  }

  private static FragmentShape merged(List<FragmentShape> inputs, boolean rooted) {
    long bytes = inputs.stream().mapToLong(FragmentShape::bytes).sum();
    long cells = inputs.stream().mapToLong(FragmentShape::cells).sum();
    long erasures = inputs.stream().mapToLong(FragmentShape::erasures).sum();
    if (!rooted || cells == 0) {
      return new FragmentShape(bytes, cells, erasures);
    }
    long left = Math.max(0, cells - 2 * erasures);
    return new FragmentShape(Math.round((double) bytes * left / cells), left, 0);
  }

  /** How many times each flushed byte was written, the flush included. */
  double writeAmplification() {
    return (double) writtenBytes / flushedBytes;
  }
}
