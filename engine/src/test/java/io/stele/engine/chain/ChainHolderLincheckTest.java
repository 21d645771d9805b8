package io.stele.engine.chain;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.stele.engine.chain.ChainHolder.Borrowed;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The protocol of {@link Pins} and {@link ChainHolder} under every interleaving of a few calls: a
 * reader never has a chain of which something was released, and when all have ended, everything
 * that is not in the current chain was released, once.
 */
public class ChainHolderLincheckTest {
  private final List<NumberedFragment> all = new ArrayList<>(); // guarded by this
  private final ChainHolder holder = new ChainHolder(nextChain(), NumberedFragment::release);

  private synchronized Chain nextChain() {
    NumberedFragment fresh = new NumberedFragment(all.size());
    all.add(fresh);
    return new Chain(List.of(Link.whole(fresh)));
  }

  /** The number of the chain that was read, or -1 if it was released meanwhile. */
  @Operation
  public int read() {
    try (Borrowed borrowed = holder.borrow()) {
      NumberedFragment fragment = NumberedFragment.of(borrowed.chain()).getFirst();
      return fragment.releases.get() == 0 ? fragment.number : -1;
    }
  }

  @Operation
  public int replace() {
    synchronized (this) {
      holder.replace(nextChain());
      return all.size() - 1;
    }
  }

  @Validate
  public synchronized void eachOldFragmentWasReleasedOnce() {
    for (NumberedFragment fragment : all) {
      int expected = fragment == all.getLast() ? 0 : 1;
      if (fragment.releases.get() != expected) {
        throw new IllegalStateException(
            fragment + " was released " + fragment.releases + " times instead of " + expected);
      }
    }
  }

  @Test
  void modelChecking() {
    checkModel(1, 60);
  }

  @Test
  void stress() {
    checkStress(1, 300);
  }

  @Test
  @Tag(LongRun.TAG)
  void manyScenarios() throws Exception {
    LongRun.repeat(
        ChainHolderLincheckTest.class,
        1,
        _ -> {
          checkModel(3, 1_000);
          checkStress(10, 2_000);
          return 13;
        });
  }

  private static void checkModel(int scenarios, int invocations) {
    new ModelCheckingOptions()
        // Immutable, or touched only where it does not matter in which order.
        .addGuarantee(
            forClasses(
                    Chain.class.getName(), Link.class.getName(), NumberedFragment.class.getName())
                .allMethods()
                .ignore())
        .iterations(scenarios)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .invocationsPerIteration(invocations)
        .check(ChainHolderLincheckTest.class);
  }

  private static void checkStress(int scenarios, int invocations) {
    new StressOptions()
        .iterations(scenarios)
        .threads(3)
        .actorsPerThread(3)
        .invocationsPerIteration(invocations)
        .check(ChainHolderLincheckTest.class);
  }
}
