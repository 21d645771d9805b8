package io.stele.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.recordlog.RecordLogWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code stele meta salvage} on the log of a dead server, whose second record is damaged. */
class SalvageCommandTest {
  private static final String RUN = "s000000000017";

  @TempDir private Path place;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private long second; // where the second record begins

  @BeforeEach
  void write() throws IOException {
    FilePath path = FilePath.of("log/" + RUN + "/0000000001.log");
    try (FileStore files = FileStores.open(place.toString());
        RecordLogWriter log = RecordLogWriter.create(files, path, 0)) {
      for (long txn = 1; txn <= 3; txn++) {
        second = txn == 2 ? log.length() : second;
        byte[] record = record(txn);
        log.append(record, 0, record.length);
      }
      log.sync();
    }
  }

  private static byte[] record(long txn) {
    CellBatch batch =
        new CellBatchBuilder()
            .put(Bytes.utf8("row"), Bytes.utf8("f"), Bytes.EMPTY, 1, Bytes.utf8("value"))
            .build()
            .committed(txn);
    return new ByteBuilder(100)
        .putVarint(txn - 1)
        .putSized(Bytes.utf8("t"))
        .put(batch.toArray(), 0, batch.length())
        .toArray();
  }

  private void damage() throws IOException {
    Path file = place.resolve("log").resolve(RUN).resolve("0000000001.log");
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) second + 20] ^= 1;
    Files.write(file, bytes);
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    return new CommandLine(new SalvageCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void aWholeLogIsNotDamaged() {
    assertThat(run("--logs", place.toString())).isZero();
    assertThat(out.toString()).isEqualTo("no log is damaged\n");
  }

  @Test
  void damageIsListedUntilItIsAccepted() throws IOException {
    damage();
    assertThat(run("--logs", place.toString())).as("something is left to decide").isNotZero();
    assertThat(out.toString())
        .contains("log " + RUN + ": not accepted", "transactions 2 to 2 are lost")
        .contains("table t: 2 whole records");
    assertThat(run("--logs", place.toString(), "--accept", RUN)).isZero();
    assertThat(out.toString()).contains("log " + RUN + ": accepted");
    assertThat(run("--logs", place.toString(), "--output", "json")).isZero();
    assertThat(out.toString().replaceAll("\\s", ""))
        .contains("\"run\":\"" + RUN + "\"", "\"accepted\":true", "\"records\":{\"t\":2}");
  }

  @Test
  void whatIsNotDamagedCannotBeAccepted() {
    assertThat(run("--logs", place.toString(), "--accept", RUN)).isNotZero();
    assertThat(err.toString()).contains("\"" + RUN + "\"", "is not damaged");
    assertThat(run("--logs", place.toString(), "--accept", "other")).isNotZero();
    assertThat(err.toString()).contains("there is no log \"other\"");
  }
}
