package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.table.BatchWriter;
import io.stele.client.table.Row;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import io.stele.client.table.Table;
import io.stele.testkit.table.MemoryTables;
import io.stele.testkit.table.TableAdminContract;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client's tables over a server: all that tables do, and what only the client has. */
class RemoteTablesTest extends TableAdminContract {
  private final MemoryTables served = new MemoryTables();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final Stele stele = Stele.connect(server.address());
  private final Stele impatient =
      Stele.builder().endpoints(server.address()).timeout(Duration.ofMillis(100)).connect();

  @BeforeEach
  void serve() {
    server.serve(served, served);
  }

  @AfterEach
  void close() {
    stele.close();
    impatient.close();
    server.close();
    channels.close();
  }

  @Override
  protected Tables tables() {
    return stele.rows();
  }

  @Override
  protected Tables impatient() {
    return impatient.rows();
  }

  @Override
  protected TableAdmin admin() {
    return stele.tables();
  }

  private Table users() {
    stele.tables().create("users", TableSchema.ofFamilies("name", "visits"), List.of());
    return stele.table("users");
  }

  @Test
  void rowsAreWrittenAndReadInOneCallEach() {
    Table users = users();
    users.put("42", "name", "first", "Ada");
    assertThat(users.get("42").orElseThrow().value("name", "first")).contains(bytes("Ada"));
    assertThat(users.get("43")).isEmpty();
    assertThat(users.increment("42", "visits", "today", 3)).isEqualTo(3);
    assertThat(users.increment("42", "visits", "today", -1)).isEqualTo(2);
  }

  @Test
  void manyOperationsAreUnderWayAtOnce() {
    Table users = users();
    List<CompletableFuture<Long>> writes = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      writes.add(users.mutateAsync(RowMutation.of("u" + i).put("name", "first", "name of " + i)));
    }
    writes.forEach(TableFixture::answer);
    List<CompletableFuture<java.util.Optional<Row>>> reads = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      reads.add(users.getAsync(bytes("u" + i), ReadPredicate.ALL));
    }
    for (int i = 0; i < 5_000; i++) {
      assertThat(TableFixture.answer(reads.get(i)).orElseThrow().value("name", "first"))
          .contains(bytes("name of " + i));
    }
  }

  @Test
  void changesOfOneCallerAreCommittedInTheirOrder() {
    Table users = users();
    List<CompletableFuture<Long>> writes = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      writes.add(users.mutateAsync(RowMutation.of("u").put("name", "first", "" + i)));
    }
    assertThat(writes.stream().map(TableFixture::answer).toList()).isSorted();
  }

  @Test
  void aWriterSendsRowsInTheBackground() {
    Table users = users();
    try (BatchWriter writer = users.writer()) {
      for (int i = 0; i < 3_000; i++) {
        writer.add(RowMutation.of("u%04d".formatted(i)).put("name", "first", "n" + i));
      }
    }
    int rows = 0;
    try (RowScan scan = users.scan(ReadPredicate.ALL)) {
      for (var row = scan.next(); row.isPresent(); row = scan.next()) {
        assertThat(row.get().key()).isEqualTo(bytes("u%04d".formatted(rows)));
        rows++;
      }
    }
    assertThat(rows).isEqualTo(3_000);
  }

  @Test
  void aWriterTellsWhatFailed() {
    Table users = users();
    BatchWriter writer = users.writer();
    writer.add(RowMutation.of("a").put("name", "first", "1"));
    writer.add(RowMutation.of("b").put("nope", "first", "1"));
    assertThatThrownBy(writer::flush)
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("nope");
    assertThat(users.get("a")).isPresent();
  }

  @Test
  void aRowLargerThanAnAnswerComesInPieces() {
    Table users = users();
    Bytes value = Bytes.of(new byte[1 << 20]);
    for (int i = 0; i < 6; i++) {
      users.mutate(RowMutation.of("big").put(bytes("name"), bytes("c" + i), 1, value));
    }
    assertThat(users.get("big").orElseThrow().cells()).hasSize(6);
  }

  @Test
  void aBatchThatCannotBeSentIsRefusedWithItsSize() {
    Table users = users();
    Bytes value = Bytes.of(new byte[40 << 20]);
    RowMutation mutation =
        RowMutation.of("big")
            .put(bytes("name"), bytes("a"), 1, value)
            .put(bytes("name"), bytes("b"), 1, value);
    assertThatThrownBy(() -> users.mutate(mutation))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("at most 71303168");
    assertThat(users.get("big")).isEmpty();
  }

  @Test
  void aClosedClientSaysSo() {
    Table users = users();
    users.put("1", "name", "first", "Ada");
    stele.close();
    assertThatThrownBy(() -> users.get("1"))
        .isInstanceOf(SteleException.class)
        .hasMessageContaining("closed");
  }
}
