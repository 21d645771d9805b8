package io.stele.tables.master;

import static io.stele.tables.master.FakeCluster.settle;
import static io.stele.tables.master.FakeCluster.splits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.TableRows;
import io.stele.tables.meta.UnfinishedTables.Unfinished;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A copy in a cluster is made in steps: whatever fails, there is all of it or nothing. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TableCopiesTest {
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("f");
  private static final StoredSchema STORED = StoredSchema.created(SCHEMA);

  private final FakeCluster cluster = new FakeCluster();
  private final FakeServer a = cluster.start("a:1");
  private final FakeServer b = cluster.start("b:1");
  private final Master master = cluster.master();

  @BeforeEach
  void tableOfFourTablets() {
    master.tables().create("t", SCHEMA, splits(3));
    settle(master);
  }

  @AfterEach
  void close() {
    master.close();
  }

  private TableRows rows(String table) {
    return cluster.meta.rows(table).value();
  }

  @Test
  void aCopyHasTheTabletsOfItsSourceAndIsServed() {
    master.tables().copy("t", "c");
    assertThat(rows("c").tablets()).hasSize(4);
    assertThat(rows("c").tablets()).extracting(each -> each.location()).doesNotContain("");
    assertThat(master.tables().list(false)).containsExactly("c", "t");
    assertThat(a.orders).contains("snapshot t");
    assertThat(b.orders).contains("snapshot t");
    assertThatThrownBy(() -> master.tables().copy("t", "c"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("\"c\" exists");
    assertThatThrownBy(() -> master.tables().copy("none", "d"))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void whateverChangeOfMetaFailsThereIsAllOfItOrNothing() {
    boolean failed = true;
    for (int k = 0; failed; k++) {
      String target = "c" + k;
      AtomicInteger left = new AtomicInteger(k);
      cluster.cells.failWith(
          () ->
              left.getAndDecrement() == 0
                  ? Optional.of(new UnavailableException("META is away"))
                  : Optional.empty());
      failed = !attempt(() -> master.tables().copy("t", target));
      cluster.cells.failWith(Optional::empty);
      settle(master);
      boolean there = master.tables().list(false).contains(target);
      assertThat(rows(target).exists()).as("rows of %s", target).isEqualTo(there);
      assertThat(there || failed).isTrue();
      if (there) {
        assertThat(rows(target).tablets()).hasSize(4);
      } else {
        master.tables().copy("t", target); // the name is free again
      }
    }
  }

  private static boolean attempt(Runnable action) {
    try {
      action.run();
      return true;
    } catch (SteleException e) {
      return false;
    }
  }

  @Test
  void noFileIsDeletedWhileATableIsBeingMade() {
    Unfinished made = new Unfinished("c", 1000);
    cluster.meta.unfinished().begin(made, STORED);
    assertThat(master.collectFiles(true).blocked()).contains("\"c\" is being made");
    assertThat(master.tables().list(false)).containsExactly("t");
    assertThatThrownBy(() -> master.tables().schema("c")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> master.tables().create("c", SCHEMA, List.of()))
        .isInstanceOf(ConflictException.class);
    cluster.meta.unfinished().giveUp(made);
    assertThat(master.collectFiles(true).blocked()).isEmpty();
    master.tables().create("c", SCHEMA, List.of());
  }

  @Test
  void whatALostMasterLeftUnfinishedIsGivenUpAndItFindsThat() {
    Unfinished old = new Unfinished("c", 0); // of a master before this one
    cluster.meta.unfinished().begin(old, STORED);
    settle(master);
    assertThat(rows("c").exists()).isFalse();
    assertThatThrownBy(
            () -> cluster.meta.unfinished().finish(old, STORED, cluster.meta.tablets("t")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("another master");
    assertThat(rows("c").exists()).isFalse();
  }

  @Test
  void whatANewerMasterMakesIsLeftAlone() {
    cluster.meta.unfinished().begin(new Unfinished("c", 1000), STORED);
    settle(master);
    assertThat(rows("c").exists()).isTrue();
  }
}
