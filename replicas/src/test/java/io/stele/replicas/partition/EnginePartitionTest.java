package io.stele.replicas.partition;

import static io.stele.replicas.partition.TestReplica.C;
import static io.stele.replicas.partition.TestReplica.F;
import static io.stele.replicas.partition.TestReplica.batch;
import static io.stele.replicas.partition.TestReplica.bytes;
import static io.stele.replicas.partition.TestReplica.put;
import static io.stele.replicas.partition.TestReplica.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EnginePartitionTest {
  private static final ScanOptions DEFAULT = ScanOptions.DEFAULT;

  private static List<String> rest(TableScan scan, int maxBytes) {
    List<String> found = new ArrayList<>();
    CellPage page = scan.next(maxBytes);
    while (page.more()) {
      assertThat(page.cells()).isPresent();
      found.addAll(seen(page));
      page = scan.next(maxBytes);
    }
    found.addAll(seen(page));
    return found;
  }

  // ---- reading

  @Test
  void aPageEndsAfterItsBytesAndAnotherReadGoesOnBehindIt() {
    try (TestReplica replica = new TestReplica()) {
      for (int i = 0; i < 20; i++) {
        replica.apply(put("row" + (char) ('a' + i), 1, "value"));
      }
      CellPage first = replica.store().read(ReadPredicate.ALL, DEFAULT, 100);
      assertThat(first.more()).isTrue();
      assertThat(first.txn()).isEqualTo(replica.store().sequence());
      List<String> cells = seen(first);
      assertThat(cells).hasSizeBetween(2, 6);
      Bytes last = bytes(cells.getLast().replaceAll("/.*", ""));
      ScanOptions after = DEFAULT.withAfter(new ScanOptions.Position(last, F, C, 1));
      CellPage rest = replica.store().read(ReadPredicate.ALL, after, 1 << 20);
      assertThat(rest.more()).isFalse();
      cells.addAll(seen(rest));
      assertThat(cells).hasSize(20).isSorted();
      assertThat(seen(replica.store().read(ReadPredicate.ALL, DEFAULT, 0))).hasSize(1);
    }
  }

  @Test
  void aReadEndsAfterSoManyRows() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"), put("a", 2, "x"), put("b", 1, "x"), put("c", 1, "x"));
      CellPage page = replica.store().read(ReadPredicate.ALL, DEFAULT.withMaxRows(2), 1 << 20);
      assertThat(seen(page)).containsExactly("a/f:c@2=x", "a/f:c@1=x", "b/f:c@1=x");
      assertThat(page.more()).isFalse();
    }
  }

  @Test
  void aReadOfOneRowLooksAtNoOther() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"), put("b", 1, "x"));
      replica.store().flush();
      replica.apply(put("b", 2, "y"), Cell.eraseRow(bytes("b"), 0, 2));
      ReadPredicate row = ReadPredicate.rows(RowRange.row(bytes("b")));
      assertThat(seen(replica.store().read(row, DEFAULT, 1 << 20))).containsExactly("b/f:c@2=y");
      ReadPredicate none = ReadPredicate.rows(RowRange.row(bytes("q")));
      assertThat(seen(replica.store().read(none, DEFAULT, 1 << 20))).isEmpty();
    }
  }

  @Test
  void aScanSeesTheReplicaAsOfItsStart() {
    try (TestReplica replica = new TestReplica()) {
      for (int i = 10; i < 60; i++) {
        replica.apply(put("row" + i, 1, "x"));
      }
      List<String> before = replica.seen();
      try (TableScan scan = replica.store().scan(ReadPredicate.ALL, DEFAULT)) {
        List<String> found = new ArrayList<>(seen(scan.next(200)));
        replica.apply(put("row30", 1, "y"), put("row99", 1, "x"));
        replica.store().flush();
        found.addAll(seen(scan.next(200)));
        replica.apply(Cell.eraseRow(bytes("row40"), 0, 9));
        replica.store().compact();
        found.addAll(seen(scan.next(200)));
        found.addAll(rest(scan, 200));
        assertThat(found).isEqualTo(before);
        CellPage end = scan.next(200);
        assertThat(end.cells()).isEmpty();
        assertThat(end.more()).isFalse();
      }
      assertThat(replica.seen()).hasSize(50).contains("row30/f:c@1=y");
    }
  }

  @Test
  void aTransactionCanBeReadAsLongAsAScanHoldsIt() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"));
      TableScan scan = replica.store().scan(ReadPredicate.ALL, DEFAULT);
      long txn = scan.txn();
      replica.apply(put("a", 1, "y"));
      replica.store().compact();
      ScanOptions at = DEFAULT.withAtTxn(txn);
      assertThat(seen(replica.store().read(ReadPredicate.ALL, at, 1000)))
          .containsExactly("a/f:c@1=x");
      scan.close();
      assertThatThrownBy(() -> replica.store().read(ReadPredicate.ALL, at, 1000))
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("transaction " + txn);
      assertThatThrownBy(() -> scan.next(10)).isInstanceOf(NotFoundException.class);
    }
  }

  @Test
  void closingEndsScans() {
    TestReplica replica = new TestReplica();
    replica.apply(put("a", 1, "x"), put("b", 1, "x"));
    TableScan scan = replica.store().scan(ReadPredicate.ALL, DEFAULT);
    scan.next(1);
    replica.close();
    assertThatThrownBy(() -> scan.next(10)).isInstanceOf(NotFoundException.class);
    scan.close();
  }

  // ---- writing

  @Test
  void theCallersBatchStaysAsItIs() {
    try (TestReplica replica = new TestReplica()) {
      CellBatch batch = batch(put("a", 1, "x"));
      long first = replica.apply(batch);
      assertThat(batch.txn()).isZero();
      assertThat(replica.apply(batch)).isGreaterThan(first);
      assertThat(replica.seen()).containsExactly("a/f:c@1=x");
    }
  }

  @Test
  void cellsWithoutTimesAreRefused() {
    try (TestReplica replica = new TestReplica()) {
      for (Cell cell :
          List.of(
              Cell.eraseRow(bytes("a")),
              Cell.eraseFamily(bytes("a"), F),
              put("a", Cell.SERVER_TIME, "x"))) {
        assertThatThrownBy(() -> replica.apply(cell))
            .isInstanceOf(InvalidRequestException.class)
            .hasMessageContaining("has no time");
      }
      assertThat(replica.changes(0, 10)).isEmpty();
    }
  }

  @Test
  void nothingIsAcknowledgedThatIsNotDurable() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"));
      replica.files().failFrom(StoreCall.SYNC, 1, () -> new IOException("no disk"));
      CompletableFuture<Long> lost = replica.store().apply(batch(put("b", 1, "x")));
      assertThatThrownBy(lost::join).hasMessageContaining("may or may not");
      assertThat(replica.store().hasAll(batch(put("b", 1, "x")))).isFalse();
      assertThat(replica.store().hasAll(batch(put("a", 1, "x")))).isTrue();
      assertThat(replica.seen()).containsExactly("a/f:c@1=x");
      assertThat(replica.changes(0, 1000)).hasSize(1);
    }
  }

  @Test
  void aCrashKeepsWhatWasAcknowledgedAndNoSequenceIsGivenOutTwice() {
    for (int n = 0; n < 6; n++) {
      try (TestReplica replica = new TestReplica()) {
        long highest = 0;
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          for (int k = 0; k < 3; k++) {
            long sequence = replica.apply(put("row" + i + k, 1, "x"));
            assertThat(sequence).isGreaterThan(highest);
            highest = sequence;
            expected.add("row" + i + k + "/f:c@1=x");
          }
          if (n % 2 == 0) {
            replica.store().flush();
          }
          // Not waited for: it may be lost, but its sequence was told.
          replica.store().apply(batch(put("zzz" + i, 1, "x")));
          highest = Math.max(highest, replica.store().sequence());
          replica.crash(
              n < 2
                  ? CrashMode.dropUnsynced()
                  : CrashMode.tornTails(n * 10L + i, CrashMode.Tail.GARBAGE));
          assertThat(replica.store().sequence()).isGreaterThanOrEqualTo(highest);
          assertThat(replica.seen()).containsAll(expected);
        }
      }
    }
  }

  @Test
  void hasAllKnowsWhatIsHereAndWhatIsHidden() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 5, "m"), Cell.eraseFamily(bytes("b"), F, 0, 10));
      replica.store().flush();
      replica.apply(Cell.eraseCell(bytes("c"), F, C, 5), Cell.eraseRow(bytes("d"), 3, 7));
      EnginePartition store = replica.store();

      assertThat(store.hasAll(batch(put("a", 5, "m"), put("b", 9, "x")))).isTrue();
      assertThat(store.hasAll(batch(put("a", 5, "l")))).as("a lesser value").isTrue();
      assertThat(store.hasAll(batch(put("a", 5, "n")))).as("a greater value").isFalse();
      assertThat(store.hasAll(batch(put("a", 6, "m")))).isFalse();
      assertThat(store.hasAll(batch(put("b", 10, "x")))).as("behind the range").isFalse();
      assertThat(store.hasAll(batch(put("c", 5, "zzz")))).isTrue();
      assertThat(store.hasAll(batch(Cell.eraseCell(bytes("a"), F, C, 5)))).isFalse();
      assertThat(store.hasAll(batch(Cell.eraseColumn(bytes("d"), F, C, 3, 7)))).isTrue();
      assertThat(store.hasAll(batch(Cell.eraseColumn(bytes("d"), F, C, 3, 8)))).isFalse();
      assertThat(store.hasAll(batch(put("a", 5, "m"), put("e", 1, "x")))).isFalse();
    }
  }

  // ---- erasures

  /** An old fragment's erasure may hide what a newer one holds. */
  @Test
  void anErasureStaysWhileWhatItHidesIsInOtherFragments() {
    try (TestReplica replica = new TestReplica()) {
      long now = replica.clock.micros();
      replica.apply(Cell.eraseRow(bytes("a"), Long.MIN_VALUE, now));
      replica.store().compact();
      replica.apply(put("a", now - 5, "hidden"));
      replica.clock.advance(TestReplica.GRACE.plusHours(1));
      // Rewrites the file alone: the put is in memory.
      replica.store().compactFiles();
      assertThat(replica.seen()).isEmpty();
      replica.store().compact();
      replica.clock.advance(TestReplica.GRACE.plusHours(1));
      replica.store().compact();
      assertThat(replica.changes(0, 100)).as("both are gone").isEmpty();
      assertThat(replica.seen()).isEmpty();
    }
  }

  @Test
  void anErasureStaysUntilAllOthersHaveIt() {
    try (TestReplica replica = new TestReplica()) {
      long now = replica.clock.micros();
      replica.apply(put("a", now - 5, "x"));
      long erased = replica.apply(Cell.eraseRow(bytes("a"), Long.MIN_VALUE, now));
      replica.confirmed = erased - 1;
      replica.store().compact();
      for (int i = 0; i < 2; i++) {
        replica.clock.advance(TestReplica.GRACE.plusHours(1));
        replica.store().compact();
      }
      assertThat(replica.changes(0, 1000)).as("somebody has not confirmed it").hasSize(1);
      replica.apply(put("a", now - 7, "late"));
      assertThat(replica.seen()).isEmpty();
      replica.confirmed = erased;
      replica.store().compact();
      assertThat(replica.changes(0, 1000)).as("both are gone").isEmpty();
    }
  }

  // ---- schemas

  private static TableSchema schema(PurgePolicy purge) {
    return TableSchema.of(GroupSchema.of("default", List.of("f", "g")).withPurge(purge))
        .withReplication(Replication.of(1).withErasureGrace(TestReplica.GRACE));
  }

  @Test
  void anotherPurgePolicyCountsAtOnce() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"), put("a", 2, "y"), put("a", 3, "z"));
      replica.store().flush();
      replica.store().alter(schema(new PurgePolicy.MaxHistory(2)));
      assertThat(replica.seen()).containsExactly("a/f:c@3=z", "a/f:c@2=y");
      replica.store().compact();
      replica.store().alter(schema(PurgePolicy.NONE));
      assertThat(replica.seen()).as("purged for good").hasSize(2);
    }
  }

  @Test
  void aFamilyThatIsRemovedIsGoneAlsoIfItComesBack() {
    TableSchema one =
        TableSchema.ofFamilies("f").withReplication(TestReplica.SCHEMA.replication().orElseThrow());
    try (TestReplica replica = new TestReplica()) {
      Cell gone = Cell.put(bytes("a"), bytes("g"), C, 1, bytes("x"));
      replica.apply(put("a", 1, "x"), gone);
      replica.store().alter(one);
      assertThat(replica.seen()).containsExactly("a/f:c@1=x");
      Cell late = Cell.put(bytes("b"), bytes("g"), C, 1, bytes("x"));
      replica.apply(late, put("b", 1, "y"));
      replica.apply(late);
      assertThat(replica.store().hasAll(batch(late))).isTrue();
      replica.reopen(one);
      replica.store().alter(TestReplica.SCHEMA);
      assertThat(replica.seen()).containsExactly("a/f:c@1=x", "b/f:c@1=y");
      replica.apply(late);
      assertThat(replica.seen()).contains("b/g:c@1=x");
    }
  }

  @Test
  void aFamilyThatWasRemovedWhileItWasClosedIsGone() {
    TableSchema one =
        TableSchema.ofFamilies("f").withReplication(TestReplica.SCHEMA.replication().orElseThrow());
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"), Cell.put(bytes("a"), bytes("g"), C, 1, bytes("x")));
      replica.reopen(one);
      assertThat(replica.seen()).containsExactly("a/f:c@1=x");
    }
  }

  @Test
  void severalGroupsAreRefused() {
    TableSchema two =
        TableSchema.of(GroupSchema.of("one", List.of("f")), GroupSchema.of("two", List.of("g")))
            .withReplication(Replication.of(3));
    assertThatThrownBy(() -> new TestReplica(new ManualClock(), two))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("[one, two]: replicated tables keep all families in one group");
  }

  // ---- pieces

  @Test
  void digestsAreOfThePiecesBetweenCuts() {
    try (TestReplica replica = new TestReplica();
        TestReplica other = new TestReplica()) {
      replica.apply(put("a", 1, "x"), put("b", 1, "x"), put("c", 1, "x"), put("c", 2, "x"));
      other.apply(put("a", 1, "x"), put("b", 1, "DIFFERENT"), put("c", 1, "x"), put("c", 2, "x"));
      List<Bytes> cuts = List.of(bytes("b"), bytes("bb"), bytes("d"));
      List<Digest> one = replica.store().digests(RowRange.ALL, cuts);
      List<Digest> two = other.store().digests(RowRange.ALL, cuts);
      assertThat(one).extracting(Digest::rows).containsExactly(1L, 1L, 1L, 0L);
      assertThat(one).extracting(Digest::cells).containsExactly(1L, 1L, 2L, 0L);
      assertThat(two.get(0)).isEqualTo(one.get(0));
      assertThat(two.get(1)).isNotEqualTo(one.get(1));
      assertThat(two.subList(2, 4)).isEqualTo(one.subList(2, 4));
      assertThatThrownBy(
              () -> replica.store().digests(RowRange.ALL, List.of(bytes("b"), bytes("a"))))
          .isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void cutsPartTheReplicaIntoAboutEqualPieces() {
    try (TestReplica replica = new TestReplica()) {
      assertThat(replica.store().cuts(RowRange.ALL, 2)).isEmpty();
      replica.apply(put("only", 1, "x"));
      assertThat(replica.store().cuts(RowRange.ALL, 2)).isEmpty();
      replica.apply(put("second", 1, "x"));
      assertThat(replica.store().cuts(RowRange.ALL, 2)).containsExactly(bytes("only"));
      for (int i = 100; i < 900; i++) {
        replica.apply(put("row" + i, 1, "x".repeat(50)));
        if (i == 500) {
          replica.store().flush();
        }
      }
      List<Bytes> cuts = replica.store().cuts(RowRange.ALL, 4);
      assertThat(cuts).hasSize(3).isSorted();
      List<Digest> pieces = replica.store().digests(RowRange.ALL, cuts);
      assertThat(pieces).allMatch(piece -> piece.rows() > 150 && piece.rows() < 250);
      RowRange part = new RowRange(bytes("row2"), bytes("row4"));
      assertThat(replica.store().cuts(part, 2)).hasSize(1).allMatch(part::contains);
      assertThat(replica.store().bytes()).isGreaterThan(800 * 50);
    }
  }

  // ---- directories

  @Test
  void replicasAreDirectoriesThatAreMadeListedAndDeleted() throws Exception {
    try (TestReplica replica = new TestReplica()) {
      ReplicaStores stores = replica.stores();
      ReplicaName other = new ReplicaName("t1", "p2", "a2");
      ReplicaName elsewhere = new ReplicaName("t2", "p1", "a3");
      stores.open(other, TestReplica.SCHEMA).close();
      EnginePartition third = stores.open(elsewhere, TestReplica.SCHEMA);
      third.apply(batch(put("a", 1, "x"))).join();
      third.close();
      assertThat(stores.list()).containsExactly(TestReplica.NAME, other, elsewhere);
      stores.delete(other);
      stores.delete(elsewhere);
      stores.delete(elsewhere);
      assertThat(stores.list()).containsExactly(TestReplica.NAME);
      assertThatThrownBy(() -> new ReplicaName("t", "p.q", "a"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("p.q");
    }
  }

  /** Wherever a deletion is cut off, what is left is a whole replica or none. */
  @Test
  void aDeletionThatWasCutOffIsFinished() throws Exception {
    for (int failAt = 1; failAt < 12; failAt++) {
      TestReplica replica = new TestReplica();
      replica.apply(put("a", 1, "x"));
      replica.store().flush();
      replica.apply(put("b", 1, "x"));
      replica.close();
      replica.files().failFrom(StoreCall.DELETE, failAt, () -> new IOException("no disk"));
      Optional<Exception> failure = Optional.empty();
      try {
        replica.stores().delete(TestReplica.NAME);
      } catch (RuntimeException e) {
        failure = Optional.of(e);
      }
      replica.files().clearFailures();
      assertThat(replica.stores().list()).as("failed at %d: %s", failAt, failure).isEmpty();
    }
  }
}
