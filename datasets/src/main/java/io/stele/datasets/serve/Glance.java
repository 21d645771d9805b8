package io.stele.datasets.serve;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A first look at something, by a thread that must not wait. */
public sealed interface Glance<T> {
  /** It took no more. */
  record Known<T>(T answer) implements Glance<T> {}

  /**
   * It takes the disk.
   *
   * @param rest goes on from where the first look ended, once, by a platform thread that may wait:
   *     one that waits for a page of a mapped file waits in the kernel, and a virtual one would
   *     take its carrier along. Where the disk does not have it, other nodes are asked.
   */
  record OnDisk<T>(Supplier<CompletableFuture<T>> rest) implements Glance<T> {}

  /**
   * Other nodes were asked.
   *
   * @param answer completed by a thread that must not wait
   */
  record Asked<T>(CompletableFuture<T> answer) implements Glance<T> {}
}
