package io.stele.engine.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.chain.ChainHolder.Borrowed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class ChainHolderTest {
  private final NumberedFragment a = new NumberedFragment(1);
  private final NumberedFragment b = new NumberedFragment(2);
  private final NumberedFragment c = new NumberedFragment(3);
  private final ChainHolder holder = new ChainHolder(chain(a, b), NumberedFragment::release);

  private static Chain chain(NumberedFragment... fragments) {
    return chain(List.of(fragments));
  }

  private static Chain chain(List<NumberedFragment> fragments) {
    return new Chain(fragments.stream().map(Link::whole).toList());
  }

  private void assertReleased(int ofA, int ofB, int ofC) {
    assertThat(List.of(a.releases.get(), b.releases.get(), c.releases.get()))
        .as("how often each was released")
        .containsExactly(ofA, ofB, ofC);
  }

  @Test
  void aFragmentThatNoChainNamesIsReleasedAtOnceIfNobodyReads() {
    holder.replace(chain(b, c));
    assertReleased(1, 0, 0);
    holder.replace(chain(c));
    assertReleased(1, 1, 0);
    holder.collect();
    assertReleased(1, 1, 0);
  }

  @Test
  void whatIsBeingReadIsReleasedByItsLastReader() {
    Borrowed one = holder.borrow();
    Borrowed two = holder.borrow();
    assertThat(holder.isCurrent(one)).isTrue();
    holder.replace(chain(c));
    assertThat(holder.isCurrent(one)).isFalse();
    assertThat(holder.hasOldReaders()).isTrue();
    assertThat(NumberedFragment.of(one.chain())).containsExactly(a, b);
    one.close();
    one.close();
    assertReleased(0, 0, 0);
    two.close();
    assertReleased(1, 1, 0);
    assertThat(holder.hasOldReaders()).isFalse();
  }

  @Test
  void aFragmentOfSeveralChainsIsReleasedWithTheLastOfThem() {
    Borrowed first = holder.borrow(); // a b
    holder.replace(chain(a, c));
    Borrowed second = holder.borrow(); // a c
    holder.replace(chain(c));
    first.close();
    assertReleased(0, 1, 0);
    second.close();
    assertReleased(1, 1, 0);
  }

  @Test
  void theOrderInWhichReadersEndDoesNotMatter() {
    Borrowed first = holder.borrow(); // a b
    holder.replace(chain(a, c));
    Borrowed second = holder.borrow(); // a c
    holder.replace(chain(b));
    second.close();
    assertReleased(0, 0, 1);
    first.close();
    assertReleased(1, 0, 1);
  }

  @Test
  void aChainMayBeReturnedByAnotherThread() throws Exception {
    Borrowed borrowed = holder.borrow();
    holder.replace(chain(c));
    Thread other = Thread.ofPlatform().start(borrowed::close);
    other.join();
    assertReleased(1, 1, 0);
  }

  /** Readers never meet a released fragment; in the end each is released once and none is left. */
  @Test
  void underManyReadersEachFragmentIsReleasedExactlyOnceAndNeverInUse() throws Exception {
    long seed = 42;
    int replacements = 20_000;
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong reads = new AtomicLong();
    List<NumberedFragment> all = new ArrayList<>(List.of(a, b));
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        readers.add(threads.submit(() -> read(stop, reads)));
      }
      try {
        replace(new SplittableRandom(seed), replacements, all, reads);
      } finally {
        stop.set(true);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    }
    assertThat(holder.hasOldReaders()).as("seed %d", seed).isFalse();
    List<NumberedFragment> current = NumberedFragment.of(holder.current());
    for (NumberedFragment fragment : all) {
      assertThat(fragment.releases.get())
          .as("seed %d: releases of %s, of %d", seed, fragment, all.size())
          .isEqualTo(current.contains(fragment) ? 0 : 1);
    }
    assertThat(reads).hasPositiveValue();
  }

  private void read(AtomicBoolean stop, AtomicLong reads) {
    while (!stop.get()) {
      try (Borrowed borrowed = holder.borrow()) {
        for (int look = 0; look < 3; look++) {
          for (NumberedFragment fragment : NumberedFragment.of(borrowed.chain())) {
            if (fragment.releases.get() != 0) {
              throw new AssertionError(fragment + " was released while it was read");
            }
          }
        }
      }
      reads.incrementAndGet();
    }
  }

  /** Appends and merges, as flushes and compactions do. */
  private void replace(
      SplittableRandom random, int times, List<NumberedFragment> all, AtomicLong reads) {
    for (int i = 0; i < times || reads.get() < 100; i++) {
      List<NumberedFragment> next = new ArrayList<>(NumberedFragment.of(holder.current()));
      if (next.size() > 1 && random.nextBoolean()) {
        int from = random.nextInt(next.size() - 1);
        next.subList(from, random.nextInt(from + 1, next.size() + 1)).clear();
      }
      NumberedFragment fresh = new NumberedFragment(all.size() + 1);
      all.add(fresh);
      next.add(fresh);
      holder.replace(chain(next));
    }
  }
}
