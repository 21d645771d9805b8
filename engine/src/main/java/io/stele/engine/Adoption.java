package io.stele.engine;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.disk.FragmentWriter;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Writes cells of another store, with the transactions that they have there, into a fragment that
 * goes below all others of this one:
 *
 * <pre>
 *   the other   1 ……………………… 47 | 48 …            the oldest link of the chain: no transaction
 *                 ▼ some rows                      above the one behind which this store began
 *   this one    [ adopted      ] 48 49 …
 * </pre>
 *
 * No log has them, so they cost one file. A crash before the manifest names it leaves nothing but a
 * stray; adopting the same cells twice does no harm.
 */
final class Adoption {
  private static final int CELLS_BETWEEN_CHECKS = 1024;

  private final FileStore files;
  private final ChainKeeper keeper;

  Adoption(FileStore files, ChainKeeper keeper) {
    this.files = files;
    this.keeper = keeper;
  }

  /**
   * Adopts what a scan has.
   *
   * @return how many cells it was
   * @throws CancellationException if asked to stop; nothing is left
   */
  long run(StoredScan cells, FragmentSettings settings, long fileId, BooleanSupplier cancelled)
      throws IOException {
    keeper.checkUsable();
    FilePath path = keeper.newFragmentPath();
    long written = 0;
    boolean whole = false;
    try (FragmentWriter writer = new FragmentWriter(files, path, settings, fileId)) {
      while (cells.next()) {
        writer.add(cells.cell());
        written++;
        if (written % CELLS_BETWEEN_CHECKS == 0 && cancelled.getAsBoolean()) {
          throw new CancellationException("adoption into " + path + " was cancelled");
        }
      }
      if (written > 0) {
        var _ = writer.finish();
        whole = true;
      }
    } finally {
      if (!whole) {
        files.delete(path);
      }
    }
    if (whole) {
      keeper.addOldest(path);
    }
    return written;
  }
}
