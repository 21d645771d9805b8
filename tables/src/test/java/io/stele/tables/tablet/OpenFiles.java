package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.disk.FragmentWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Small fragment files, and views that name them. */
final class OpenFiles {
  final MemoryFileStore store = new MemoryFileStore();
  final Tablet tablet = new Tablet("t");
  private final TableView empty = TableView.empty(TableSchema.ofFamilies("f"));

  /** Writes a file of one cell. */
  FilePath write(String name) {
    return write(store, name);
  }

  static FilePath write(FileStore files, String name) {
    FilePath path = FilePath.of("fragments/" + name);
    Cell cell =
        Cell.put(Bytes.utf8(name), Bytes.utf8("f"), Bytes.EMPTY, 1, Bytes.utf8(name)).withTxn(1);
    try (FragmentWriter writer =
        new FragmentWriter(files, path, FragmentSettings.DEFAULT, name.hashCode())) {
      writer.add(cell.view());
      writer.finish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return path;
  }

  /** A view of one tablet whose chain is these. */
  TableView view(List<DiskFragment> fragments) {
    TabletView only =
        new TabletView(
            tablet,
            Bytes.EMPTY,
            Optional.empty(),
            TabletState.ACTIVE,
            0,
            0,
            Collections.emptySortedMap(),
            Optional.of(List.of(new Chain(fragments.stream().map(Link::whole).toList()))),
            List.of(),
            1);
    return empty.withTablets(List.of(only));
  }

  static List<DiskFragment> fragments(TableView view) {
    return view.tablets().getFirst().fragments();
  }
}
