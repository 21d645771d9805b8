package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.table.BatchWriter;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import io.stele.client.table.Table;
import io.stele.testkit.table.MemoryTables;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Levels of consistency and how a table is replicated, from the client to the server. */
@Timeout(30)
class ConsistencyLevelsTest {
  private static final Consistency SAFEST = new Consistency(Acks.ALL, Reads.MAJORITY);

  private final MemoryTables memory = new MemoryTables();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final Stele stele = Stele.connect(server.address());

  @AfterEach
  void close() {
    stele.close();
    server.close();
    channels.close();
  }

  /** Tables that note at which level they are asked. */
  private Tables noting(Consistency level) {
    return (Tables)
        Proxy.newProxyInstance(
            Tables.class.getClassLoader(),
            new Class<?>[] {Tables.class},
            (_, method, arguments) -> {
              if (method.getName().equals("at")) {
                return noting((Consistency) arguments[0]);
              }
              asked.add(method.getName() + " " + level.acks() + " " + level.reads());
              try {
                return method.invoke(memory, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void everyOperationIsAskedAtItsLevel() {
    memory.create("t", TableSchema.ofFamilies("f"), List.of());
    server.serve(noting(Consistency.DEFAULT), memory);
    Table table = stele.table("t").at(SAFEST);

    table.put("a", "f", "x", "1");
    table.mutateAll(List.of(RowMutation.of("b").put("f", "x", "2")));
    try (BatchWriter writer = table.writer()) {
      writer.add(RowMutation.of("c").put("f", "x", "3"));
    }
    assertThat(table.get("a")).isPresent();
    assertThat(rows(table)).isEqualTo(3);
    assertThat(table.deleteRows(RowRange.prefix(bytes("b")))).isEqualTo(1);
    assertThat(asked)
        .containsExactly(
            "apply ALL MAJORITY",
            "applyRows ALL MAJORITY",
            "applyRows ALL MAJORITY",
            "read ALL MAJORITY",
            "scan ALL MAJORITY",
            "deleteServedRows ALL MAJORITY");
    asked.clear();

    for (Acks acks : Acks.values()) {
      for (Reads reads : Reads.values()) {
        stele.table("t").at(new Consistency(acks, reads)).put("a", "f", "x", "1");
        assertThat(asked.removeFirst()).isEqualTo("apply " + acks + " " + reads);
      }
    }
    table.at(Consistency.DEFAULT).put("a", "f", "x", "1");
    assertThat(asked).containsExactly("apply MAJORITY ONE");
  }

  private static int rows(Table table) {
    int rows = 0;
    try (RowScan scan = table.scan(ReadPredicate.ALL)) {
      while (scan.next().isPresent()) {
        rows++;
      }
    }
    return rows;
  }

  @Test
  void aTabletTableHasNoLevels() {
    memory.create("t", TableSchema.ofFamilies("f"), List.of());
    server.serve(memory, memory);
    Table table = stele.table("t").at(SAFEST);
    assertThatThrownBy(() -> table.put("a", "f", "x", "1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("a tablet table has one owner, and no levels");
    assertThatThrownBy(() -> rows(table)).isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> table.deleteRows(RowRange.ALL))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(stele.table("t").get("a")).isEmpty();
  }

  @Test
  void aSchemaSaysHowItsTableIsReplicated() {
    server.serve(memory, memory);
    Replication replication =
        Replication.of(5).withErasureGrace(Duration.ofSeconds(3, 7)).withSplitBytes(123);
    TableSchema schema = TableSchema.ofFamilies("f").withReplication(replication);
    stele.tables().create("t", schema, List.of());
    assertThat(memory.schema("t")).isEqualTo(schema);
    assertThat(stele.tables().schema("t")).isEqualTo(schema);
    stele.tables().create("u", TableSchema.ofFamilies("f"), List.of());
    assertThat(stele.tables().schema("u").replication()).isEmpty();
  }
}
