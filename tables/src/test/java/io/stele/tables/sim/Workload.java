package io.stele.tables.sim;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.table.Bank;
import io.stele.testkit.table.Counters;
import io.stele.testkit.table.EqualColumns;
import io.stele.testkit.table.LinkedNodes;
import io.stele.testkit.table.TableFixture;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * What clients do with the one table of a simulation, and whether what they find is right. All
 * workloads share the table, each with rows of its own:
 *
 * <pre>
 *   0 … f     linked nodes                f    scattered over the tablets
 *   w         cells of a family that comes and goes    h
 *   x         equal columns               f, g
 *   y         counters                    f
 *   z         a bank                      f, g
 * </pre>
 *
 * Any number of threads.
 */
final class Workload {
  static final String TABLE = "t";
  static final String[] SPLITS = {"4", "8", "c", "x", "y"};
  private static final RowRange NODES = new RowRange(Bytes.EMPTY, Bytes.utf8("g"));
  private static final Bytes GOING = Bytes.utf8("h");

  private final Tables tables;
  private final LinkedNodes nodes = new LinkedNodes();
  private final EqualColumns columns = EqualColumns.withServerTime();
  private final Counters counters = new Counters();
  private final Bank bank = new Bank();
  private final Set<String> busy = ConcurrentHashMap.newKeySet(); // rows of one writer
  private final ConcurrentLinkedDeque<Counters.Addition> additions = new ConcurrentLinkedDeque<>();
  private final AtomicLong operations = new AtomicLong();

  // Cells of the family that comes and goes.
  private final AtomicLong cells = new AtomicLong();
  private final Set<Long> written = ConcurrentHashMap.newKeySet();
  private final Set<Long> removed = ConcurrentHashMap.newKeySet();
  private final AtomicLong removals = new AtomicLong(); // begun, whatever became of them
  private final AtomicLong removalsDone = new AtomicLong();
  private final Map<Long, Long> before = new ConcurrentHashMap<>(); // removals done, by cell

  // Families that were added; guarded by itself.
  private final List<String> added = new ArrayList<>();

  Workload(Tables tables) {
    this.tables = tables;
  }

  static TableSchema schema(boolean withGoing, List<String> others) {
    List<GroupSchema> groups = new ArrayList<>();
    groups.add(GroupSchema.of("one", "f"));
    groups.add(GroupSchema.of("two", "g"));
    List<String> third = new ArrayList<>(others);
    third.add("i"); // a group has at least one
    if (withGoing) {
      third.add("h");
    }
    groups.add(GroupSchema.of("three", third.toArray(String[]::new)));
    return TableSchema.of(groups.toArray(GroupSchema[]::new));
  }

  void open() {
    bank.open(tables, TABLE, "z0");
  }

  long operations() {
    return operations.get();
  }

  // ---- rows

  /** One operation of one of the workloads. */
  void step(RandomGenerator random) {
    switch (random.nextInt(8)) {
      case 0, 1 -> node(random);
      case 2 -> writeColumns("x" + random.nextInt(3));
      case 3 -> readColumns("x" + random.nextInt(3));
      case 4 -> add("y" + random.nextInt(2));
      case 5 -> {
        if (random.nextBoolean()) {
          prepareAddition("y" + random.nextInt(2));
        } else {
          finishAddition();
        }
      }
      case 6 -> transfer(random);
      default -> writeGoing("w" + random.nextInt(3));
    }
  }

  void node(RandomGenerator random) {
    boolean _ = nodes.write(tables, TABLE, random);
    operations.incrementAndGet();
  }

  void writeColumns(String row) {
    if (busy.add(row)) {
      try {
        boolean _ = columns.write(tables, TABLE, row);
        operations.incrementAndGet();
      } finally {
        busy.remove(row);
      }
    }
  }

  void readColumns(String row) {
    columns.get(tables, TABLE, row);
    operations.incrementAndGet();
  }

  void add(String row) {
    boolean _ = counters.add(tables, TABLE, row);
    operations.incrementAndGet();
  }

  /** A client reads a counter, and takes its time. */
  void prepareAddition(String row) {
    additions.add(counters.read(tables, TABLE, row));
  }

  /** The client that waits for longest writes what it read before, plus 1. */
  void finishAddition() {
    Counters.Addition addition = additions.poll();
    if (addition != null) {
      boolean _ = addition.write(tables, TABLE);
      operations.incrementAndGet();
    }
  }

  void transfer(RandomGenerator random) {
    boolean _ = bank.transfer(tables, TABLE, "z0", random);
    operations.incrementAndGet();
  }

  /** Writes to the family that comes and goes; that it is not there at the moment is no failure. */
  void writeGoing(String row) {
    long number = cells.incrementAndGet();
    long done = removalsDone.get();
    try {
      TableFixture.answer(
          tables.apply(
              TABLE,
              TableFixture.batch(
                  TableFixture.put(row, "h:" + number, number, Long.toString(number))),
              Tables.ANY_TXN,
              true));
      written.add(number);
      before.put(number, done);
      operations.incrementAndGet();
    } catch (InvalidRequestException e) {
      // The family has been removed.
    } catch (SteleException e) {
      // It may be there, and may not.
    }
  }

  // ---- schema

  /** Removes the family that comes and goes, or brings it back; any number of clients at once. */
  void toggleFamily(TableAdmin admin) {
    TableSchema now = admin.schema(TABLE);
    boolean removes = has(now, "h");
    Set<Long> gone = Set.copyOf(written); // before the change: what comes meanwhile may stay
    if (removes) {
      removals.incrementAndGet();
    }
    admin.alter(TABLE, Optional.of(now), schema(!removes, others(now)));
    if (removes) {
      removed.addAll(gone);
      removalsDone.incrementAndGet();
    }
    operations.incrementAndGet();
  }

  /** Two clients that have read the schema add a family each. */
  void addFamilies(TableAdmin admin, String one, String other) {
    TableSchema read = admin.schema(TABLE);
    addFamily(admin, read, one);
    addFamily(admin, read, other);
  }

  private void addFamily(TableAdmin admin, TableSchema read, String family) {
    List<String> others = new ArrayList<>(others(read));
    if (others.contains(family)) {
      return;
    }
    others.add(family);
    try {
      admin.alter(TABLE, Optional.of(read), schema(has(read, "h"), others));
      synchronized (added) {
        added.add(family);
      }
      operations.incrementAndGet();
    } catch (ConflictException e) {
      // The other one was first.
    }
  }

  private static boolean has(TableSchema schema, String family) {
    return schema.groups().stream().anyMatch(group -> group.families().contains(family));
  }

  private static List<String> others(TableSchema schema) {
    return schema.groups().stream()
        .filter(group -> group.name().equals("three"))
        .flatMap(group -> group.families().stream())
        .filter(family -> !family.equals("h") && !family.equals("i"))
        .toList();
  }

  // ---- checks

  /** Looks at everything; to be called while nobody writes. */
  List<String> check(TableAdmin admin) {
    List<String> violations = new ArrayList<>();
    columns.rows().forEach(row -> columns.get(tables, TABLE, row));
    add(violations, "linked nodes", nodes.check(LinkedNodes.read(tables, TABLE, NODES)));
    add(violations, "equal columns", columns.verdict());
    add(violations, "counters", counters.check(tables, TABLE));
    add(violations, "bank", bank.check(tables, TABLE));
    TableSchema schema = admin.schema(TABLE);
    synchronized (added) {
      added.stream()
          .filter(family -> !has(schema, family))
          .forEach(family -> violations.add("family " + family + " was added, and is not there"));
    }
    checkGoing(violations);
    return violations;
  }

  private static void add(List<String> violations, String workload, Verdict verdict) {
    if (!verdict.valid()) {
      violations.add(workload + ": " + verdict);
    }
  }

  /** Cells from before a removal are gone, and those that no removal followed are there. */
  private void checkGoing(List<String> violations) {
    RowRange rows = RowRange.prefix(Bytes.utf8("w"));
    Set<Long> found = new HashSet<>();
    try (TableScan scan = tables.scan(TABLE, ReadPredicate.rows(rows), ScanOptions.DEFAULT)) {
      for (Cell cell : TableFixture.cells(scan.next(1 << 20))) {
        if (cell.family().equals(GOING)) {
          found.add(Long.parseLong(cell.value().toUtf8()));
        }
      }
    }
    for (long number : new TreeSet<>(written)) {
      if (found.contains(number) && removed.contains(number)) {
        violations.add("cell " + number + " is back, whose family was removed");
      }
      boolean stays = Objects.equals(before.get(number), removals.get());
      if (stays && !found.contains(number)) {
        violations.add("cell " + number + " is lost, whose family was not removed since");
      }
    }
  }
}
