package io.stele.tables.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.testkit.golden.FormatFile;
import org.junit.jupiter.api.Test;

class LogHeadTest {
  /** A record of the commit log in its first form; it is read for ever. */
  @Test
  void aRecordOfVersion1() throws Malformed {
    Bytes table = Bytes.utf8("users/größe");
    Cell cell = Cell.put(Bytes.utf8("r"), Bytes.utf8("f"), Bytes.EMPTY, 7, Bytes.utf8("v"));
    CellBatch batch = new CellBatchBuilder().add(cell).build().committed(70_001);
    byte[] record =
        Bytes.wrap(LogHead.encode(70_000, table)).concat(Bytes.wrap(batch.toArray())).toArray();
    byte[] stored = FormatFile.read("log-record-v1.bin", record);
    LogHead.Parsed parsed = LogHead.parse(stored, 0, stored.length);
    assertThat(parsed.head()).isEqualTo(new LogHead(70_000, table));
    assertThat(parsed.batch().txn()).isEqualTo(70_001);
    CellBatch.Reader cells = parsed.batch().read();
    assertThat(cells.next()).isTrue();
    assertThat(cells.cell().toCell()).isEqualTo(cell.withTxn(70_001));
    assertThat(cells.next()).isFalse();
  }
}
