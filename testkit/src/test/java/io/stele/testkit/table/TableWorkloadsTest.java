package io.stele.testkit.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.testkit.history.Anomaly;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The workloads find nothing in a table that works, and every fault that was put in. */
class TableWorkloadsTest {
  private final MemoryTables tables = new MemoryTables();

  @Test
  void aTableThatWorksIsValid() {
    tables.create("list", TableSchema.ofFamilies("f"), List.of());
    tables.create("equal", TableSchema.ofFamilies("f", "g"), List.of());
    LinkedNodes nodes = new LinkedNodes();
    EqualColumns equal = new EqualColumns();
    for (int i = 0; i < 100; i++) {
      assertThat(nodes.write(tables, "list", RandomSource.seeded(i))).isTrue();
      assertThat(equal.write(tables, "equal", "row" + i % 7)).isTrue();
      equal.get(tables, "equal", "row" + i % 7);
    }
    equal.scan(tables, "equal");
    assertThat(nodes.check(LinkedNodes.read(tables, "list")).valid()).isTrue();
    assertThat(nodes.check(LinkedNodes.read(tables, "list")).checked()).isEqualTo(100);
    assertThat(equal.verdict().valid()).isTrue();
    assertThat(equal.verdict().checked()).isEqualTo(107);
  }

  @Test
  void aNodeThatIsLostIsFound() {
    tables.create("list", TableSchema.ofFamilies("f"), List.of());
    LinkedNodes nodes = new LinkedNodes();
    for (int i = 0; i < 50; i++) {
      nodes.write(tables, "list", RandomSource.seeded(1));
    }
    Map<String, String> found = LinkedNodes.read(tables, "list");
    String pointedAt =
        found.values().stream().filter(previous -> !previous.isEmpty()).findFirst().orElseThrow();
    tables.deleteRows("list", RowRange.row(TableFixture.bytes(pointedAt)));
    assertThat(nodes.check(LinkedNodes.read(tables, "list")).anomalies())
        .containsExactlyInAnyOrder(Anomaly.WRITE_LOST, Anomaly.REFERENCE_UNDEFINED);
  }

  @Test
  void faultyListsAreFound() {
    Map<String, String> attempted = Map.of("a", "", "b", "a", "c", "b");
    List<String> acknowledged = List.of("a", "b");
    assertThat(LinkedNodes.check(attempted, acknowledged, Map.of("a", "", "b", "a")).valid())
        .as("c was not acknowledged")
        .isTrue();
    assertThat(LinkedNodes.check(attempted, acknowledged, attempted).valid()).isTrue();
    assertThat(LinkedNodes.check(attempted, acknowledged, Map.of("a", "")).anomalies())
        .containsExactly(Anomaly.WRITE_LOST);
    assertThat(LinkedNodes.check(attempted, List.of(), Map.of("a", "", "c", "b")).anomalies())
        .containsExactly(Anomaly.REFERENCE_UNDEFINED);
    Map<String, String> changed = new TreeMap<>(attempted);
    changed.put("c", "a");
    assertThat(LinkedNodes.check(attempted, acknowledged, changed).anomalies())
        .containsExactly(Anomaly.WRITE_DIFFERS);
    Map<String, String> more = new TreeMap<>(attempted);
    more.put("d", "a");
    assertThat(LinkedNodes.check(attempted, acknowledged, more).anomalies())
        .containsExactly(Anomaly.WRITE_UNEXPLAINED);
  }

  @Test
  void tornRowsAndOldRowsAreFound() {
    EqualColumns equal = new EqualColumns();
    equal.look("get", "r", Map.of("f:a", "3", "f:b", "3", "g:a", "3", "g:b", "3"), 3);
    equal.look("get", "r", Map.of(), 0);
    assertThat(equal.verdict().valid()).isTrue();
    equal.look("get", "r", Map.of("f:a", "3", "f:b", "3", "g:a", "2", "g:b", "3"), 2);
    assertThat(equal.verdict().anomalies()).containsExactly(Anomaly.ROW_TORN);

    EqualColumns half = new EqualColumns();
    half.look("scan", "r", Map.of("f:a", "3", "f:b", "3"), 0);
    assertThat(half.verdict().anomalies()).containsExactly(Anomaly.ROW_TORN);

    EqualColumns old = new EqualColumns();
    old.look("scan", "r", Map.of("f:a", "3", "f:b", "3", "g:a", "3", "g:b", "3"), 4);
    old.look("scan", "r", Map.of(), 1);
    assertThat(old.verdict().anomalies()).containsExactly(Anomaly.WRITE_LOST);
    assertThat(old.verdict().violations()).hasSize(2);
  }
}
