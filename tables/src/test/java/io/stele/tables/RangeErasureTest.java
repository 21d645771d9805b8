package io.stele.tables;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.RowsDeleted;
import io.stele.tables.tablet.ForcedState;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A range is erased whose second tablet leaves the server in the middle of it. */
class RangeErasureTest {
  private static final int ROWS = 400; // of a kilobyte each, more than a page

  private final TestServer opened = TestServer.open(new MemoryFileStore());
  private final TabletServer server = opened.server;

  @BeforeEach
  void fill() {
    server.create("t", TableSchema.ofFamilies("f"), List.of(Bytes.utf8("m")));
    for (int i = 0; i < ROWS; i++) {
      opened.table("t").apply(put("a%03d".formatted(i), "f:", 1, "x".repeat(1024)));
    }
    opened.table("t").apply(put("z", "f:", 1, "last"));
  }

  @AfterEach
  void end() {
    opened.abandon();
  }

  private void setUpper(TabletState state) {
    Table table = server.machinery().tables().get("t");
    Tablet upper = table.view().tablets().getLast().tablet();
    ForcedState.set(server.machinery().parts().lock(), table, upper, state);
  }

  @Test
  void everyRowThatWasErasedIsCountedOnce() {
    setUpper(TabletState.READ_ONLY);
    RowsDeleted part = server.deleteServedRows("t", RowRange.ALL);
    assertThat(part.count()).isPositive().isLessThan(ROWS);
    assertThat(opened.table("t").all()).hasSize(ROWS + 1 - (int) part.count());
    setUpper(TabletState.ACTIVE);
    RowsDeleted rest = server.deleteServedRows("t", new RowRange(part.next().orElseThrow(), null));
    assertThat(rest).isEqualTo(RowsDeleted.all(ROWS + 1 - part.count()));
    assertThat(opened.table("t").all()).isEmpty();
  }

  @Test
  void whereNothingWasErasedItFails() {
    setUpper(TabletState.READ_ONLY);
    assertThatThrownBy(() -> server.deleteServedRows("t", new RowRange(Bytes.utf8("z"), null)))
        .isInstanceOf(NotServingException.class);
    assertThatThrownBy(() -> server.deleteRows("t", RowRange.ALL))
        .isInstanceOf(NotServingException.class);
  }
}
