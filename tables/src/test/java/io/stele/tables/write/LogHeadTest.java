package io.stele.tables.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteBuilder;
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
        new ByteBuilder(64)
            .putVarint(70_000)
            .putSized(table)
            .put(Bytes.wrap(batch.toArray()))
            .toArray();
    byte[] stored = FormatFile.read("log-record-v1.bin", record);
    LogHead.Parsed parsed = LogHead.parse(stored, 0, stored.length);
    assertThat(parsed.head()).isEqualTo(new LogHead(70_000, 0, table));
    assertThat(parsed.batch().txn()).isEqualTo(70_001);
    CellBatch.Reader cells = parsed.batch().read();
    assertThat(cells.next()).isTrue();
    assertThat(cells.cell().toCell()).isEqualTo(cell.withTxn(70_001));
    assertThat(cells.next()).isFalse();
  }

  /** With the newest time that the server gave to cells. */
  @Test
  void aRecordOfVersion2() throws Malformed {
    Bytes table = Bytes.utf8("users");
    Cell cell = Cell.put(Bytes.utf8("r"), Bytes.utf8("f"), Bytes.EMPTY, 7, Bytes.utf8("v"));
    CellBatch batch = new CellBatchBuilder().add(cell).build().committed(70_001);
    byte[] record =
        Bytes.wrap(LogHead.encode(70_000, 1_790_000_000_000_000L, table))
            .concat(Bytes.wrap(batch.toArray()))
            .toArray();
    byte[] stored = FormatFile.read("log-record-v2.bin", record);
    LogHead.Parsed parsed = LogHead.parse(stored, 0, stored.length);
    assertThat(parsed.head()).isEqualTo(new LogHead(70_000, 1_790_000_000_000_000L, table));
    assertThat(parsed.batch().txn()).isEqualTo(70_001);
  }
}
