package io.stele.gateway.bigtable.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.Type;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.write.Aggregate;
import io.stele.testkit.ManualClock;
import io.stele.testkit.table.MemoryTables;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is known of families while the table of notes is away. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class NotedTypesTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryTables tables = new MemoryTables();
  private final Notes notes = new Notes(tables, tables);
  private final NotedMessages<Table> noted =
      new NotedMessages<>(notes, Notes.TABLES, Table.parser());
  private final NotedTypes types = new NotedTypes(notes, clock, Thread::startVirtualThread);

  @BeforeEach
  void readOnce() {
    note("plain", "sums");
    assertThat(types.aggregateOf("t", "plain")).isEmpty();
    assertThat(types.aggregateOf("t", "sums")).contains(Aggregate.SUM);
    assertThat(types.aggregateOf("native", "f")).isEmpty();
  }

  /** A table with one family of plain cells, the others being sums. */
  private void note(String plain, String... sums) {
    Table.Builder table = Table.newBuilder();
    table.putColumnFamilies(plain, ColumnFamily.getDefaultInstance());
    Type.Aggregate sum =
        Type.Aggregate.newBuilder()
            .setInputType(Type.newBuilder().setInt64Type(Type.Int64.getDefaultInstance()))
            .setSum(Type.Aggregate.Sum.getDefaultInstance())
            .build();
    for (String family : sums) {
      table.putColumnFamilies(
          family,
          ColumnFamily.newBuilder().setValueType(Type.newBuilder().setAggregateType(sum)).build());
    }
    noted.put("t", table.build());
  }

  private void takeAway() {
    tables.onCall(
        operation -> {
          throw new UnavailableException("the tablet has no server");
        });
    clock.advance(Duration.ofMinutes(1));
  }

  @Test
  void writesGoOnWhileTheNotesAreAway() {
    takeAway();
    assertThat(types.aggregateOf("t", "plain")).isEmpty();
    assertThat(types.aggregateOf("t", "sums")).contains(Aggregate.SUM);
    assertThat(types.aggregateOf("native", "other")).isEmpty();
  }

  @Test
  void writesGoOnWhileAReadOfTheNotesHangs() {
    CountDownLatch back = new CountDownLatch(1);
    tables.onCall(
        operation -> {
          try {
            back.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    clock.advance(Duration.ofMinutes(1));
    assertThat(types.aggregateOf("t", "sums")).contains(Aggregate.SUM);
    back.countDown();
  }

  @Test
  void aFamilyThatNoNoteNamedWaitsForTheNotes() {
    takeAway();
    assertThatThrownBy(() -> types.aggregateOf("t", "new"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("no server");
    tables.onCall(operation -> {});
    note("plain", "sums", "new");
    clock.advance(Duration.ofMinutes(1));
    assertThat(types.aggregateOf("t", "new")).contains(Aggregate.SUM);
  }

  @Test
  void whatAnotherServerChangedIsKnownAMomentLater() {
    note("sums", "plain");
    assertThat(types.aggregateOf("t", "plain")).isEmpty();
    clock.advance(Duration.ofSeconds(3));
    // A note that takes longer to read than a write waits counts for the writes after it.
    await()
        .untilAsserted(
            () -> {
              assertThat(types.aggregateOf("t", "plain")).contains(Aggregate.SUM);
              assertThat(types.aggregateOf("t", "sums")).isEmpty();
            });
  }
}
