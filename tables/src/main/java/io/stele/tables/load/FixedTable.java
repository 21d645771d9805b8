package io.stele.tables.load;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.SchemaCells;
import io.stele.tables.meta.TabletCells;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a table apart from META, in a file: one tablet with all rows, which neither
 * moves nor splits.
 *
 * <pre>
 *   file := batch checksum(4)
 * </pre>
 *
 * The batch holds the cells that META would have, schema and tablet ({@link SchemaCells}, {@link
 * TabletCells}), in the line format; the checksum is the CRC32C of all before it. The file is
 * replaced as a whole, so files and log change together.
 */
final class FixedTable {
  /** What a file says. */
  record Config(TableSchema schema, TabletConfig tablet) {}

  private FixedTable() {}

  static Optional<Config> load(FileStore files, FilePath path, String table) {
    byte[] bytes;
    try {
      if (files.stat(path).isEmpty()) {
        return Optional.empty();
      }
      try (ReadableFile file = files.open(path)) {
        bytes = new byte[Math.toIntExact(file.length())];
        file.read(0, bytes, 0, bytes.length);
      }
    } catch (IOException e) {
      throw new UnavailableException("configuration " + path + " cannot be read: " + e, e);
    }
    return Optional.of(decode(path, bytes, table));
  }

  private static Config decode(FilePath path, byte[] bytes, String table) {
    int end = bytes.length - Integer.BYTES;
    if (end < 1) {
      throw new CorruptDataException(
          path.toString(), 0, "a table's configuration", bytes.length + " bytes");
    }
    int wanted = Binary.getInt(bytes, end);
    int found = Crc32c.of(bytes, 0, end);
    if (wanted != found) {
      throw new CorruptDataException(
          path.toString(), end, "checksum " + wanted, "checksum " + found);
    }
    List<Cell> schema = new ArrayList<>();
    List<Cell> tablet = new ArrayList<>();
    Bytes schemaRow = MetaRows.schema(table);
    CellBatch.Reader reader = CellBatch.parse(Arrays.copyOf(bytes, end)).read();
    while (reader.next()) {
      Cell cell = reader.cell().toCell();
      if (cell.kind() == CellKind.PUT) {
        (cell.row().equals(schemaRow) ? schema : tablet).add(cell);
      }
    }
    if (tablet.isEmpty()) {
      throw new CorruptDataException(
          path.toString(), 0, "the configuration of table \"" + table + "\"", "none");
    }
    return new Config(SchemaCells.load(table, schema), TabletCells.load(tablet));
  }

  static void save(FileStore files, Table table, TabletConfig config) {
    FilePath path = table.configFile().orElseThrow();
    CellBatchBuilder batch = new CellBatchBuilder();
    SchemaCells.save(table.name(), table.view().schema(), FamilyOrigins.CREATED, batch);
    TabletCells.save(config, batch);
    byte[] packed = batch.build().toArray();
    byte[] bytes = Arrays.copyOf(packed, packed.length + Integer.BYTES);
    Binary.putInt(bytes, packed.length, Crc32c.of(packed, 0, packed.length));
    try {
      files.replace(path, bytes);
    } catch (IOException e) {
      throw new UnavailableException("configuration " + path + " cannot be saved: " + e, e);
    }
  }
}
