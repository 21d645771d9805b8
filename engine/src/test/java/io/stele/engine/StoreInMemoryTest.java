package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.cache.InMemoryGroups;
import io.stele.engine.disk.DiskFragment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** "Allowing scans to proceed without needing to access the disk." */
class StoreInMemoryTest {
  private static final Bytes FAMILY = Bytes.utf8("family");
  private static final int ROWS = 2_000;

  private final MemoryFileStore files = new MemoryFileStore();
  private final BlockCache cache = new BlockCache(8 << 20);

  private Store open(InMemoryGroups inMemory) {
    return new Store.Builder(files)
        .settings(StoreSettings.DEFAULT.withInMemory(inMemory))
        .cache(cache)
        .open();
  }

  @Test
  void aPreloadedGroupIsServedFromMemory() {
    write();
    InMemoryGroups groups = new InMemoryGroups(List.of(Set.of(FAMILY)));
    try (Store store = open(groups)) {
      ((DiskFragment) store.chain().links().getFirst().fragment()).preload();
      BlockCache.Stats preloaded = cache.stats();
      assertThat(preloaded.residentWeight()).isGreaterThan(ROWS * 100L);
      assertThat(count(store)).isEqualTo(ROWS);
      assertThat(cache.stats().misses())
          .as("of more than 30 blocks; the store's own preload may have been at its last one")
          .isLessThanOrEqualTo(preloaded.misses() + 1);
    }
    await("that nothing stays after the store is closed")
        .until(() -> cache.stats().residentWeight() == 0);
  }

  @Test
  void anotherGroupIsCachedWhenItIsRead() {
    write();
    InMemoryGroups groups = new InMemoryGroups(List.of(Set.of(Bytes.utf8("other"))));
    try (Store store = open(groups)) {
      assertThat(count(store)).isEqualTo(ROWS);
      assertThat(cache.stats().residentWeight()).isZero();
      assertThat(cache.stats().adaptiveWeight()).isGreaterThan(ROWS * 100L);
    }
  }

  private void write() {
    try (Store store = open(InMemoryGroups.NONE)) {
      CellBatchBuilder batch = new CellBatchBuilder();
      for (int i = 0; i < ROWS; i++) {
        Bytes row = Bytes.utf8("row %05d".formatted(i));
        batch.put(row, FAMILY, Bytes.utf8("column"), 1, Bytes.wrap(new byte[100]));
      }
      store.apply(batch.build());
      store.flush();
    }
  }

  private static int count(Store store) {
    int rows = 0;
    try (Scan scan = store.scan(ReadPredicate.ALL)) {
      while (scan.next()) {
        rows++;
      }
    }
    return rows;
  }
}
