package io.stele.replicas.push;

import io.stele.base.file.FilePath;
import io.stele.base.schema.TableSchema;
import io.stele.replicas.partition.PartitionStore;

/** Opens the cells of replicas. */
public interface StoreOpener {
  /** Opens those in a directory, and makes them where there are none. */
  PartitionStore open(FilePath directory, TableSchema schema);
}
