package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.recordlog.RecordLogWriter;
import io.stele.engine.commitlog.LogReplay;
import io.stele.testkit.file.StoredBytes;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The small files of a store, and its commit log, in version 1; all are read for ever. */
class StoredFormatsTest {
  private static final Manifest MANIFEST =
      new Manifest(
          70_000,
          12,
          List.of(
              new Manifest.Entry(3, Optional.empty()),
              new Manifest.Entry(11, Optional.of(Set.of(Bytes.utf8("a"), Bytes.utf8("größe")))),
              new Manifest.Entry(7, Optional.of(Set.of()))));

  private static final TxnMarks MARKS =
      new TxnMarks(
          5_000_000_000L,
          List.of(new TxnMarks.Run(40, 16_777_216), new TxnMarks.Run(16_777_300, 33_554_432)),
          List.of(
              new TxnMarks.Age(1_700_000_000_000_000L, 0),
              new TxnMarks.Age(1_700_000_360_000_000L, 33_554_500)));

  private static final FilePath LOG = FilePath.of("log/0000000001.log");

  private final MemoryFileStore files = new MemoryFileStore();

  @Test
  void theManifestOfVersion1() throws IOException {
    MANIFEST.save(files);
    byte[] stored =
        FormatFile.read("manifest-v1.bin", StoredBytes.read(files, FilePath.of("MANIFEST")));
    files.replace(FilePath.of("MANIFEST"), stored);
    assertThat(Manifest.load(files)).isEqualTo(MANIFEST);
  }

  @Test
  void theMarksOfVersion1() throws IOException {
    MARKS.save(files);
    byte[] stored = FormatFile.read("marks-v1.bin", StoredBytes.read(files, FilePath.of("MARKS")));
    files.replace(FilePath.of("MARKS"), stored);
    assertThat(TxnMarks.load(files)).isEqualTo(MARKS);
  }

  /** Every kind of cell, in the order of a batch. */
  private static List<Cell> cells() {
    Bytes row = Bytes.of((byte) 0, (byte) 0xff);
    Bytes user = Bytes.utf8("user/1");
    Bytes family = Bytes.utf8("profile");
    return List.of(
        Cell.eraseRow(row),
        Cell.eraseFamily(row, family),
        Cell.eraseColumn(row, family, Bytes.utf8("mail")),
        Cell.put(row, family, Bytes.utf8("mail"), Long.MIN_VALUE, Bytes.EMPTY),
        Cell.eraseColumn(user, family, Bytes.EMPTY, -5, 1_700_000_000_000_000L),
        Cell.put(user, family, Bytes.EMPTY, 1_700_000_000_000_000L, Bytes.utf8("größe")),
        Cell.eraseCell(user, family, Bytes.EMPTY, 12),
        Cell.put(user, Bytes.utf8("visits"), Bytes.utf8("/"), 300, Bytes.wrap(new byte[200])));
  }

  private static CellBatch batch() {
    CellBatchBuilder batch = new CellBatchBuilder();
    cells().forEach(batch::add);
    return batch.build();
  }

  private static List<Cell> drain(CellBatch batch) {
    List<Cell> found = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      found.add(reader.cell().toCell());
    }
    return found;
  }

  @Test
  void theCellBatchOfVersion1() {
    byte[] stored = FormatFile.read("cell-batch-v1.bin", batch().toArray());
    assertThat(drain(CellBatch.parse(stored))).containsExactlyInAnyOrderElementsOf(cells());
    assertThat(cells()).extracting(Cell::kind).contains(CellKind.values());
  }

  @Test
  void theCommitLogOfVersion1() throws IOException {
    try (RecordLogWriter writer = RecordLogWriter.create(files, LOG, 0)) {
      for (CellBatch batch :
          List.of(batch().committed(41), TestCells.put("r", 7, "v").committed(42))) {
        writer.append(batch.array(), batch.offset(), batch.length());
        writer.sync();
      }
    }
    byte[] stored = FormatFile.readSalted("commit-log-v1.bin", StoredBytes.read(files, LOG));
    files.replace(LOG, stored);
    List<CellBatch> found = new ArrayList<>();
    LogReplay.Result result = LogReplay.replay(files, FilePath.of("log"), 40, found::add);
    assertThat(result.lastTxn()).isEqualTo(42);
    assertThat(found).extracting(CellBatch::txn).containsExactly(41L, 42L);
    assertThat(drain(found.getFirst()))
        .containsExactlyInAnyOrderElementsOf(
            cells().stream().map(cell -> cell.withTxn(41)).toList());
    assertThat(drain(found.getLast())).containsExactly(TestCells.cell("r", 7, "v").withTxn(42));
  }
}
