package io.stele.tables;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.predicate.ReadPredicate;
import io.stele.tables.meta.MetaAccess;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * META, for those who are made before it: what saves configurations is needed by what flushes, and
 * META is a table that is flushed.
 */
final class LateMeta implements MetaAccess {
  private volatile @Nullable MetaAccess access;

  void set(MetaAccess value) {
    access = value;
  }

  private MetaAccess access() {
    MetaAccess known = access;
    if (known == null) {
      throw new IllegalStateException("META is asked before the server is put together");
    }
    return known;
  }

  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return access().apply(metaTable, cells, commitMaxTxn, waitForSync);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    return access().scan(metaTable, predicate, latest, each);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, int rows, Predicate<Cell> each) {
    return access().scan(metaTable, predicate, latest, rows, each);
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    return access().together(metaTable, rows);
  }
}
