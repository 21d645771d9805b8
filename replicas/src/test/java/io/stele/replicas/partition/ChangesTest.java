package io.stele.replicas.partition;

import static io.stele.replicas.partition.TestReplica.bytes;
import static io.stele.replicas.partition.TestReplica.put;
import static io.stele.replicas.partition.TestReplica.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What changed since: enough to bring a copy up to date, and little more. */
class ChangesTest {
  private static final int SEEDS = Integer.getInteger("seeds", 20);

  @Test
  void aCopyThatHadEverythingUpToASequenceIsEqualWithTheChangesSince() {
    for (long seed = 0; seed < SEEDS; seed++) {
      ManualClock clock = new ManualClock();
      RandomGenerator random = RandomSource.seeded(seed);
      RandomChanges changes = new RandomChanges(seed, clock.micros());
      try (TestReplica original = new TestReplica(clock);
          TestReplica copy = new TestReplica(clock);
          TestReplica late = new TestReplica(clock)) {
        long since = 0;
        for (int round = 0; round < 4; round++) {
          for (CellBatch batch : changes.delivery(changes.cells(1 + random.nextInt(25)))) {
            original.apply(batch);
            disturb(original, random);
          }
          long upTo = deliver(original, copy, since, 1 + random.nextInt(400));
          disturb(copy, random);
          assertThat(upTo).isEqualTo(original.store().sequence());
          assertThat(copy.seen()).as("seed %d, since %d", seed, since).isEqualTo(original.seen());
          assertThat(copy.digest()).as("seed %d", seed).isEqualTo(original.digest());
          since = upTo;
        }
        deliver(original, late, 0, 200);
        assertThat(late.digest()).as("seed %d, from the start", seed).isEqualTo(original.digest());
        assertThat(original.changes(since, 1000)).as("seed %d, nothing new", seed).isEmpty();
      }
    }
  }

  private static long deliver(TestReplica from, TestReplica to, long since, int maxBytes) {
    from.changes(since, maxBytes).forEach(to::apply);
    try (PartitionStore.Changes changes = from.store().changesSince(since, RowRange.ALL)) {
      return changes.upTo();
    }
  }

  private static void disturb(TestReplica replica, RandomGenerator random) {
    switch (random.nextInt(10)) {
      case 0, 1 -> replica.store().flush();
      case 2 -> replica.store().compact();
      case 3 -> replica.reopen();
      default -> {}
    }
  }

  /** Erasures that are gone had been here for the grace time: a copy within it has got them. */
  @Test
  void anErasureIsAmongTheChangesForTheGraceTime() {
    try (TestReplica replica = new TestReplica()) {
      long had = replica.apply(put("a", 1, "x"));
      long now = replica.clock.micros();
      replica.apply(Cell.eraseRow(bytes("a"), Long.MIN_VALUE, now + 1));
      replica.store().compact();
      replica.clock.advance(TestReplica.GRACE.dividedBy(2));
      replica.store().compact();
      assertThat(texts(replica.changes(had, 100).getFirst()))
          .containsExactly("-a@[" + Long.MIN_VALUE + "," + (now + 1) + ")");

      replica.clock.advance(TestReplica.GRACE);
      replica.store().compact();
      assertThat(replica.changes(had, 100)).isEmpty();
      assertThat(replica.changes(0, 100)).isEmpty();
    }
  }

  /** An old time in an erasure does not make it an old erasure. */
  @Test
  void anErasureOfLongAgoIsKeptAsLongAsAnyOther() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"));
      replica.store().compact();
      replica.clock.advance(TestReplica.GRACE.multipliedBy(3));
      replica.store().compact();
      long had = replica.store().sequence();
      replica.apply(
          Cell.eraseCell(bytes("a"), TestReplica.F, TestReplica.C, 1),
          Cell.eraseColumn(bytes("b"), TestReplica.F, TestReplica.C, 1, 9));
      replica.store().compact();
      assertThat(replica.changes(had, 1000)).hasSize(1);
      replica.reopen();
      replica.clock.advance(TestReplica.GRACE.minusMinutes(1));
      replica.store().compact();
      assertThat(replica.changes(had, 1000)).hasSize(1);
      replica.clock.advance(TestReplica.GRACE);
      replica.store().compact();
      assertThat(replica.changes(had, 1000)).isEmpty();
    }
  }

  @Test
  void superfluousCellsAreNotSent() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"));
      replica.apply(put("a", 1, "y"));
      long had = replica.apply(put("b", 1, "x"));
      replica.apply(put("b", 1, "x"));
      replica.apply(put("b", 1, "w"));
      replica.apply(put("c", 3, "x"));
      replica.apply(Cell.eraseRow(bytes("c"), 0, 4));

      assertThat(texts(replica.changes(0, 10_000).getFirst()))
          .containsExactly("a/f:c@1=y", "b/f:c@1=x", "-c@[0,4)");
      assertThat(texts(replica.changes(had, 10_000).getFirst())).containsExactly("-c@[0,4)");
    }
  }

  @Test
  void rowsAreSentWholeUnlessTheyAreVeryLarge() {
    try (TestReplica replica = new TestReplica()) {
      List<Cell> cells = new ArrayList<>();
      for (int row = 0; row < 40; row++) {
        for (int i = 0; i < 5; i++) {
          cells.add(put("row" + row, i, "v"));
        }
      }
      for (int i = 0; i < 5000; i++) {
        cells.add(put("wide", i, "v"));
      }
      replica.apply(cells.toArray(Cell[]::new));

      List<CellBatch> batches = replica.changes(0, 300);
      assertThat(batches).hasSizeGreaterThan(10).allMatch(batch -> batch.length() < 1400);
      List<String> all = new ArrayList<>();
      String before = "";
      for (CellBatch batch : batches) {
        List<String> texts = texts(batch);
        String first = texts.getFirst().replaceAll("/.*", "");
        assertThat(first.equals(before)).as(first + " goes on").isEqualTo(before.equals("wide"));
        before = texts.getLast().replaceAll("/.*", "");
        all.addAll(texts);
      }
      assertThat(all).hasSize(5200).doesNotHaveDuplicates();
    }
  }

  @Test
  void onlyTheRowsAskedForAreSent() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"), put("b", 1, "x"), put("c", 1, "x"));
      RowRange middle = new RowRange(bytes("b"), bytes("c"));
      try (PartitionStore.Changes changes = replica.store().changesSince(0, middle)) {
        assertThat(texts(changes.next(1000).orElseThrow())).containsExactly("b/f:c@1=x");
        assertThat(changes.next(1000)).isEmpty();
      }
    }
  }

  @Test
  void changesAreAsOfTheMomentAtWhichTheyWereAskedFor() {
    try (TestReplica replica = new TestReplica()) {
      for (int i = 0; i < 50; i++) {
        replica.apply(put("row" + i, 1, "x"));
      }
      List<String> read = new ArrayList<>();
      try (PartitionStore.Changes changes = replica.store().changesSince(0, RowRange.ALL)) {
        read.addAll(texts(changes.next(100).orElseThrow()));
        replica.apply(put("row99", 1, "late"));
        replica.apply(Cell.eraseRow(bytes("row5"), 0, 9));
        replica.store().compact();
        for (var next = changes.next(100); next.isPresent(); next = changes.next(100)) {
          read.addAll(texts(next.get()));
        }
        assertThat(changes.upTo()).isEqualTo(replica.store().sequence() - 2);
      }
      assertThat(read).hasSize(50).contains("row5/f:c@1=x");
    }
  }

  @Test
  void storedCellsOfSomeColumnsComeWithAllErasures() {
    try (TestReplica replica = new TestReplica()) {
      Cell other = Cell.put(bytes("a"), bytes("f"), bytes("d"), 1, bytes("z"));
      replica.apply(put("a", 1, "x"), put("a", 2, "y"), other);
      replica.apply(Cell.eraseRow(bytes("b"), 0, 1));
      ReadPredicate column =
          ReadPredicate.ALL.withColumns(ColumnRange.column(bytes("f"), bytes("c"))).withHistory(1);
      StoredCells stored = replica.store().stored(column, 1000);
      assertThat(texts(stored.cells().orElseThrow()))
          .as("which version is visible may depend on an erasure that another replica has")
          .containsExactly("a/f:c@2=y", "a/f:c@1=x", "-b@[0,1)");
    }
  }

  @Test
  void storedCellsComeAsWholeRowsAndTellHowFarTheyReach() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(put("a", 1, "x"), put("a", 2, "y"));
      replica.apply(put("b", 1, "x"), Cell.eraseRow(bytes("b"), 0, 1));
      replica.apply(put("c", 1, "x"));

      StoredCells first = replica.store().stored(ReadPredicate.ALL, 1);
      assertThat(texts(first.cells().orElseThrow())).containsExactly("a/f:c@2=y", "a/f:c@1=x");
      assertThat(first.end()).contains(bytes("b"));
      StoredCells rest =
          replica.store().stored(ReadPredicate.rows(new RowRange(bytes("b"), null)), 1000);
      assertThat(texts(rest.cells().orElseThrow()))
          .containsExactly("-b@[0,1)", "b/f:c@1=x", "c/f:c@1=x");
      assertThat(rest.end()).isEmpty();
      assertThat(replica.store().stored(ReadPredicate.rows(RowRange.row(bytes("q"))), 1000).cells())
          .isEmpty();
    }
  }

  @Test
  void severalErasuresOfOnePlaceAreSentInTheOrderOfTheirRanges() {
    try (TestReplica replica = new TestReplica()) {
      replica.apply(Cell.eraseRow(bytes("a"), 5, 9));
      replica.apply(Cell.eraseRow(bytes("a"), 0, 2));
      replica.apply(Cell.eraseRow(bytes("a"), 3, 4));
      replica.apply(Cell.eraseRow(bytes("a"), 6, 7));

      assertThat(texts(replica.changes(0, 1000).getFirst()))
          .containsExactly("-a@[0,2)", "-a@[3,4)", "-a@[5,9)");
    }
  }
}
