package io.stele.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.cache.BlockCache.FileKey;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
  private static final int WEIGHT = 100;

  private static final List<CachePriority> PRIORITIES = List.of(CachePriority.values());

  private record TestBlock(int weight) implements CachedBlock {}

  private final BlockCache cache = new BlockCache(80 * WEIGHT); // 70 of them for residents
  private final FileKey file = cache.register();
  private final AtomicInteger loads = new AtomicInteger();

  /** True if the block had to be loaded. */
  private boolean loads(FileKey from, int block, CachePriority priority) {
    int before = loads.get();
    cache.get(
        from,
        block,
        priority,
        () -> {
          loads.incrementAndGet();
          return new TestBlock(WEIGHT);
        });
    return loads.get() > before;
  }

  private int loadsOf(FileKey from, int blocks, CachePriority priority) {
    int count = 0;
    for (int i = 0; i < blocks; i++) {
      count += loads(from, i, priority) ? 1 : 0;
    }
    return count;
  }

  private long weight() {
    BlockCache.Stats stats = cache.stats();
    return stats.residentWeight() + stats.adaptiveWeight();
  }

  @Test
  void aBlockIsLoadedOnceAndCounted() {
    assertThat(loads(file, 1, CachePriority.ON_DEMAND)).isTrue();
    assertThat(loads(file, 1, CachePriority.ON_DEMAND)).isFalse();
    assertThat(cache.stats()).isEqualTo(new BlockCache.Stats(1, 1, 0, WEIGHT));
  }

  @Test
  void blocksOfTwoOpeningsAreApart() {
    FileKey other = cache.register();
    assertThat(loads(file, 1, CachePriority.ON_DEMAND)).isTrue();
    assertThat(loads(other, 1, CachePriority.ON_DEMAND)).isTrue();
  }

  @Test
  void theWeightIsNeverAboveTheCapacity() {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<FileKey> files = new ArrayList<>(List.of(cache.register(), cache.register()));
      for (int i = 0; i < 2_000; i++) {
        CachePriority priority = PRIORITIES.get(random.nextInt(4));
        int weight = random.nextInt(1, 5 * WEIGHT);
        cache.get(
            files.get(random.nextInt(files.size())),
            random.nextInt(200),
            priority,
            () -> new TestBlock(weight));
        if (random.nextInt(100) == 0) {
          cache.drop(files.removeFirst());
          files.add(cache.register());
        }
        assertThat(weight()).as("seed %d, step %d", seed, i).isLessThanOrEqualTo(80 * WEIGHT);
      }
      files.forEach(cache::drop);
      assertThat(weight()).as("seed %d: nothing stays of dropped files", seed).isZero();
    }
  }

  /**
   * The adaptive part shrinks when a heavier block moves in, and may evict its own copy of the
   * block that just lost its place among the residents.
   */
  @Test
  void blocksThatLostTheirPlaceAmongTheResidentsAreDroppedWithTheirFile() {
    for (int round = 0; round < 50; round++) {
      FileKey worse = cache.register();
      FileKey better = cache.register();
      loadsOf(worse, 69, CachePriority.SOME_FAMILIES);
      loadsOf(worse, 11, CachePriority.ON_DEMAND); // now in both parts
      for (int i = 0; i < 30; i++) {
        cache.get(better, i, CachePriority.ONE_GROUP, () -> new TestBlock(2 * WEIGHT - 1));
      }
      cache.drop(better);
      cache.drop(worse);
      assertThat(weight()).as("round %d", round).isZero();
    }
  }

  @Test
  void aScanOfTenTimesTheCapacityDoesNotWashOutWhatIsUsedOften() {
    for (int round = 0; round < 20; round++) {
      loadsOf(file, 40, CachePriority.ON_DEMAND);
    }
    FileKey scanned = cache.register();
    loadsOf(scanned, 800, CachePriority.ON_DEMAND);
    assertThat(loadsOf(file, 40, CachePriority.ON_DEMAND)).isLessThan(10);
  }

  @Test
  void blocksOfInMemoryGroupsStayWhateverElseIsRead() {
    loadsOf(file, 60, CachePriority.ONE_GROUP);
    FileKey scanned = cache.register();
    for (int round = 0; round < 5; round++) {
      loadsOf(scanned, 800, CachePriority.ON_DEMAND);
    }
    assertThat(loadsOf(file, 60, CachePriority.ONE_GROUP)).isZero();
    assertThat(cache.stats().residentWeight()).isEqualTo(60 * WEIGHT);
  }

  @Test
  void aBetterPriorityDisplacesTheWorstFirst() {
    FileKey several = cache.register();
    FileKey some = cache.register();
    loadsOf(several, 30, CachePriority.SEVERAL_GROUPS);
    loadsOf(some, 40, CachePriority.SOME_FAMILIES);
    loadsOf(file, 20, CachePriority.ONE_GROUP);
    washOut();
    assertThat(loadsOf(file, 20, CachePriority.ONE_GROUP)).isZero();
    assertThat(loadsOf(several, 30, CachePriority.SEVERAL_GROUPS)).isZero();
    assertThat(loadsOf(some, 40, CachePriority.SOME_FAMILIES)).isBetween(11, 20);
  }

  @Test
  void equalOrWorsePrioritiesDisplaceNobody() {
    loadsOf(file, 70, CachePriority.SEVERAL_GROUPS);
    for (CachePriority later : List.of(CachePriority.SEVERAL_GROUPS, CachePriority.SOME_FAMILIES)) {
      loadsOf(cache.register(), 70, later);
    }
    washOut();
    assertThat(loadsOf(file, 70, CachePriority.SEVERAL_GROUPS)).isZero();
  }

  /** "It will simply load as much as it can and operate an an LRU fashion after that." */
  @Test
  void whatDoesNotFitAmongTheResidentsIsCachedLikeTheRest() {
    assertThat(loadsOf(file, 100, CachePriority.ONE_GROUP)).isEqualTo(100);
    assertThat(cache.stats().residentWeight()).isEqualTo(70 * WEIGHT);
    assertThat(loadsOf(file, 100, CachePriority.ONE_GROUP)).isBetween(20, 30);
  }

  @Test
  void blocksThatAreHereMoveToThePlaceOfAnotherPriority() {
    loadsOf(file, 30, CachePriority.ON_DEMAND);
    cache.move(file, CachePriority.SOME_FAMILIES);
    assertThat(cache.stats().residentWeight()).isEqualTo(30 * WEIGHT);
    washOut();
    assertThat(loadsOf(file, 30, CachePriority.SOME_FAMILIES)).as("nothing is read").isZero();
    cache.move(file, CachePriority.ONE_GROUP);
    loadsOf(cache.register(), 70, CachePriority.SEVERAL_GROUPS);
    washOut();
    assertThat(loadsOf(file, 30, CachePriority.ONE_GROUP)).as("none was displaced").isZero();
    cache.move(file, CachePriority.ON_DEMAND);
    assertThat(loadsOf(file, 30, CachePriority.ON_DEMAND)).as("still here").isZero();
    assertThat(cache.stats().residentWeight()).as("the other file's").isEqualTo(40 * WEIGHT);
    assertThat(weight()).isLessThanOrEqualTo(80 * WEIGHT);
  }

  @Test
  void roomThatResidentsLeaveGoesBackToTheRest() {
    loadsOf(file, 70, CachePriority.ONE_GROUP);
    cache.drop(file);
    assertThat(weight()).isZero();
    FileKey other = cache.register();
    loadsOf(other, 60, CachePriority.ON_DEMAND);
    assertThat(loadsOf(other, 60, CachePriority.ON_DEMAND)).isZero();
  }

  @Test
  void aBlockThatIsLoadedWhileItsFileIsDroppedDoesNotStay() {
    for (CachePriority priority : CachePriority.values()) {
      FileKey dropped = cache.register();
      cache.get(
          dropped,
          1,
          priority,
          () -> {
            cache.drop(dropped);
            return new TestBlock(WEIGHT);
          });
      assertThat(weight()).as("%s", priority).isZero();
    }
  }

  @Test
  void droppedFilesLeaveNothingBehindUnderLoad() {
    for (int round = 0; round < 50; round++) {
      FileKey busy = cache.register();
      List<CompletableFuture<Void>> readers = new ArrayList<>();
      for (int reader = 0; reader < 4; reader++) {
        CachePriority priority = PRIORITIES.get(reader);
        readers.add(
            CompletableFuture.runAsync(
                () -> loadsOf(busy, 200, priority), Thread.ofPlatform()::start));
      }
      cache.drop(busy);
      CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
      assertThat(weight()).as("round %d", round).isZero();
    }
  }

  private void washOut() {
    for (int round = 0; round < 5; round++) {
      loadsOf(cache.register(), 800, CachePriority.ON_DEMAND);
    }
  }
}
