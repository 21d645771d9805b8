package io.stele.engine.commitlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.recordlog.RecordLogWriter;
import io.stele.engine.TestCells;
import io.stele.testkit.file.StoredBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class LogReplayTest {
  private static final FilePath LOG = FilePath.of("log");
  private final MemoryFileStore files = new MemoryFileStore();

  private static FilePath file(long number) {
    return LOG.resolve(CommitLog.fileName(number));
  }

  private static CellBatch batch(long txn, String value) {
    return TestCells.put("row", txn, value).committed(txn);
  }

  /** A whole file with a run of transactions, synced one by one, sealed or not. */
  private RecordLogWriter write(long number, long from, long to) throws IOException {
    RecordLogWriter writer = RecordLogWriter.create(files, file(number), 0);
    for (long txn = from; txn <= to; txn++) {
      CellBatch batch = batch(txn, "v" + txn + " in " + number);
      writer.append(batch.array(), batch.offset(), batch.length());
      writer.sync();
    }
    return writer;
  }

  private LogReplay.Result replay(FileStore from, long after, List<String> values)
      throws IOException {
    return LogReplay.replay(
        from,
        LOG,
        after,
        batch -> {
          CellBatch.Reader cells = batch.read();
          while (cells.next()) {
            assertThat(cells.cell().txn).isEqualTo(batch.txn());
            values.add(batch.txn() + "=" + cells.cell().value().toUtf8());
          }
        });
  }

  @Test
  void anAbsentDirectoryIsAnEmptyLog() throws IOException {
    List<String> values = new ArrayList<>();
    assertThat(replay(files, 7, values)).isEqualTo(LogReplay.Result.none(7));
    assertThat(values).isEmpty();
  }

  @Test
  void allFilesAreReadInOrderAndWhatIsFlushedIsPassedOver() throws IOException {
    write(1, 1, 3).close();
    write(2, 4, 5).close();
    write(10, 6, 6).close();
    StoredBytes.write(files, LOG.resolve("notes.txt"), new byte[] {1});
    List<String> values = new ArrayList<>();
    LogReplay.Result found = replay(files, 2, values);
    assertThat(values).containsExactly("3=v3 in 1", "4=v4 in 2", "5=v5 in 2", "6=v6 in 10");
    assertThat(found.lastTxn()).isEqualTo(6);
    assertThat(found.nextFile()).isEqualTo(11);
    assertThat(found.files())
        .containsExactly(closed(file(1), 3), closed(file(2), 5), closed(file(10), 6));
  }

  private CommitLog.ClosedFile closed(FilePath path, long lastTxn) throws IOException {
    return new CommitLog.ClosedFile(path, lastTxn, files.stat(path).orElseThrow().length());
  }

  @Test
  void aTornTailEndsItsFileAndTheNextFileGoesOnWithTheSameTransaction() throws IOException {
    RecordLogWriter writer = write(1, 1, 2);
    long whole = writer.length();
    CellBatch torn = batch(3, "torn");
    writer.append(torn.array(), torn.offset(), torn.length());
    writer.write();
    files.truncate(file(1), whole + 20);
    write(2, 3, 4).close();
    List<String> values = new ArrayList<>();
    LogReplay.Result found = replay(files, 0, values);
    assertThat(values).containsExactly("1=v1 in 1", "2=v2 in 1", "3=v3 in 2", "4=v4 in 2");
    assertThat(found.files()).containsExactly(closed(file(1), 2), closed(file(2), 4));
  }

  @Test
  void aFileWithoutAWholeHeaderHoldsNothing() throws IOException {
    write(1, 1, 1).close();
    StoredBytes.write(files, file(2), new byte[10]);
    List<String> values = new ArrayList<>();
    LogReplay.Result found = replay(files, 0, values);
    assertThat(values).hasSize(1);
    assertThat(found.nextFile()).isEqualTo(3);
    assertThat(found.files()).last().isEqualTo(closed(file(2), 0));
  }

  @Test
  void aMissingTransactionIsCorruptDataThatNamesThePlace() throws IOException {
    write(1, 1, 2).close();
    write(2, 3, 4).close();
    write(3, 5, 5).close();
    files.delete(file(2));
    List<String> values = new ArrayList<>();
    assertThatThrownBy(() -> replay(files, 0, values))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("log/0000000003.log")
        .hasMessageContaining("expected transaction 3, found transaction 5");
    assertThat(values).as("nothing behind the gap").hasSize(2);
    List<String> flushed = new ArrayList<>();
    replay(files, 4, flushed);
    assertThat(flushed).as("a gap in what is flushed matters to nobody").hasSize(1);
  }

  @Test
  void aDamagedRecordThatHadBeenDurableIsCorruptData() throws IOException {
    write(1, 1, 3).close();
    files.corrupt(file(1), 8 * 50);
    assertThatThrownBy(() -> replay(files, 0, new ArrayList<>()))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("log/0000000001.log");
  }

  @Test
  void whatIsReadBackIsDurableBeforeTheLogGoesOnBehindIt() throws IOException {
    RecordLogWriter writer = write(1, 1, 2);
    CellBatch doubt = batch(3, "doubt");
    writer.append(doubt.array(), doubt.offset(), doubt.length());
    writer.write(); // and the process ends here
    LogReplay.Result found = replay(files, 0, new ArrayList<>());
    assertThat(found.lastTxn()).isEqualTo(3);
    List<String> values = new ArrayList<>();
    replay(files.crash(CrashMode.dropUnsynced()), 0, values);
    assertThat(values).containsExactly("1=v1 in 1", "2=v2 in 1", "3=doubt");
  }

  @Test
  void aLogThatCannotBeMadeDurableIsNotReplayed() throws IOException {
    write(1, 1, 2).close();
    files.failNth(StoreCall.SYNC, 1, () -> new IOException("the disk said no"));
    assertThatThrownBy(() -> replay(files, 0, new ArrayList<>()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the disk said no");
  }
}
