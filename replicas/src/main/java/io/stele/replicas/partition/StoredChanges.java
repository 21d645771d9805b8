package io.stele.replicas.partition;

import io.stele.base.cell.CellBatch;
import io.stele.engine.StoredScan;
import java.util.Optional;

/** Changes behind a sequence, as they are stored. */
final class StoredChanges implements PartitionStore.Changes {
  private final StoredScan scan;
  private final StoredPacker packer;

  StoredChanges(StoredScan scan) {
    this.scan = scan;
    this.packer = new StoredPacker(scan);
  }

  @Override
  public long upTo() {
    return scan.txn();
  }

  @Override
  public Optional<CellBatch> next(int maxBytes) {
    return packer.nextBatch(maxBytes);
  }

  @Override
  public void close() {
    scan.close();
  }
}
