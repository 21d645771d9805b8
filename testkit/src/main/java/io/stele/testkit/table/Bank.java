package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckAndMutate.Operator;
import io.stele.base.table.CheckAndMutate.ValueComparison;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A workload of which a table shows whether changes that depend on what they read are made once, as
 * a whole and in order. A row is a branch with accounts, between which any number of threads
 * transfer: what they have together never changes.
 *
 * <pre>
 *   f:0 … f:5          balances
 *   f:version          how many transfers there were; each is made only if it is what was read
 *   g:00000017         the 17th transfer: its number, from, to and amount
 * </pre>
 *
 * <p>The balances are in one group and the journal in another. A transfer whose answer was lost is
 * looked for in the journal.
 */
public final class Bank {
  static final int ACCOUNTS = 6;
  static final long OPENING = 1_000;

  private static final Bytes BALANCES = Bytes.utf8("f");
  private static final Bytes JOURNAL = Bytes.utf8("g");
  private static final String VERSION = "version";
  private static final int LOOKS = 5; // for a transfer whose answer was lost
  private static final int READ_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 2_000; // branches are cut in the middle

  private final BankLedger ledger = new BankLedger();
  private final AtomicLong transfers = new AtomicLong();

  /** Opens a branch, before anybody transfers. */
  public void open(Tables tables, String table, String branch) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (int account = 0; account < ACCOUNTS; account++) {
      put(batch, branch, Integer.toString(account), 0, OPENING);
    }
    put(batch, branch, VERSION, 0, 0);
    TableFixture.answer(tables.apply(table, batch.build(), Tables.ANY_TXN, true));
    ledger.open(branch);
  }

  private static void put(
      CellBatchBuilder batch, String branch, String column, long version, long number) {
    batch.put(
        Bytes.utf8(branch),
        BALANCES,
        Bytes.utf8(column),
        version,
        Bytes.utf8(Long.toString(number)));
  }

  /** Transfers between two accounts; returns true if that was acknowledged. */
  public boolean transfer(Tables tables, String table, String branch, RandomGenerator random) {
    Optional<Branch> seen = look(tables, table, branch);
    if (seen.isEmpty()) {
      return false;
    }
    Branch before = seen.get();
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    long amount = random.nextLong(before.balance(from) + 1);
    Transfer transfer = new Transfer(transfers.incrementAndGet(), from, to, amount);
    long version = before.version() + 1;
    ledger.attempted(branch, version, transfer);
    return switch (attempt(tables, table, branch, before, transfer)) {
      case DONE -> {
        ledger.acknowledged(branch, transfer.number());
        yield true;
      }
      case NOT_DONE -> {
        ledger.refused(branch, transfer.number());
        yield false;
      }
      case UNKNOWN -> {
        resolve(tables, table, branch, version, transfer);
        yield false;
      }
    };
  }

  private static Attempt attempt(
      Tables tables, String table, String branch, Branch before, Transfer transfer) {
    long version = before.version() + 1;
    CellBatchBuilder batch = new CellBatchBuilder();
    put(
        batch,
        branch,
        Integer.toString(transfer.from()),
        version,
        before.balance(transfer.from()) - transfer.amount());
    put(
        batch,
        branch,
        Integer.toString(transfer.to()),
        version,
        before.balance(transfer.to()) + transfer.amount());
    put(batch, branch, VERSION, version, version);
    batch.put(Bytes.utf8(branch), JOURNAL, page(version), version, Bytes.utf8(transfer.toString()));
    CheckAndMutate request =
        new CheckAndMutate(
            Bytes.utf8(branch),
            ReadPredicate.ALL
                .withColumns(ColumnRange.column(BALANCES, Bytes.utf8(VERSION)))
                .withHistory(1),
            Optional.of(
                new ValueComparison(Operator.EQUAL, Bytes.utf8(Long.toString(before.version())))),
            Optional.of(batch.build()),
            Optional.empty());
    try {
      boolean met = TableFixture.answer(tables.checkAndMutate(table, request)).met();
      return met ? Attempt.DONE : Attempt.NOT_DONE;
    } catch (SteleException e) {
      return Attempt.after(e);
    }
  }

  private static Bytes page(long version) {
    return Bytes.utf8("%08d".formatted(version));
  }

  /** Looks in the journal: whoever has the version, no other can still get it. */
  private void resolve(
      Tables tables, String table, String branch, long version, Transfer transfer) {
    for (int look = 0; look < LOOKS; look++) {
      try {
        ReadPredicate page =
            ReadPredicate.rows(RowRange.row(Bytes.utf8(branch)))
                .withColumns(ColumnRange.column(JOURNAL, page(version)));
        List<Cell> found =
            TableFixture.cells(
                TableFixture.answer(tables.read(table, page, ScanOptions.DEFAULT, READ_BYTES)));
        if (found.isEmpty()) {
          return; // it may come yet
        }
        if (Transfer.parse(found.getFirst().value().toUtf8()).number() == transfer.number()) {
          ledger.acknowledged(branch, transfer.number());
        } else {
          ledger.refused(branch, transfer.number());
        }
        return;
      } catch (SteleException e) {
        var _ = Attempt.after(e);
      }
    }
  }

  /** Reads the balances of a branch and looks at them; nothing if they cannot be read now. */
  public Optional<Branch> look(Tables tables, String table, String branch) {
    long least = ledger.version(branch);
    List<Cell> cells;
    try {
      ReadPredicate balances =
          ReadPredicate.rows(RowRange.row(Bytes.utf8(branch)))
              .withColumns(ColumnRange.family(BALANCES))
              .withHistory(1);
      cells =
          TableFixture.cells(
              TableFixture.answer(tables.read(table, balances, ScanOptions.DEFAULT, READ_BYTES)));
    } catch (SteleException e) {
      var _ = Attempt.after(e);
      return Optional.empty();
    }
    return ledger.look("get", Branch.of(branch, cells), least);
  }

  /** Reads all branches with their journals and looks at them. */
  public void scan(Tables tables, String table) {
    Map<String, Long> least = ledger.versions();
    Map<String, List<Cell>> rows = new TreeMap<>();
    try (TableScan scan =
        tables.scan(table, ReadPredicate.ALL.withHistory(1), ScanOptions.DEFAULT)) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        TableFixture.cells(page)
            .forEach(
                cell ->
                    rows.computeIfAbsent(cell.row().toUtf8(), _ -> new ArrayList<>()).add(cell));
      } while (page.more());
    }
    least.forEach(
        (branch, version) -> {
          Branch seen = Branch.of(branch, rows.getOrDefault(branch, List.of()));
          var _ = ledger.look("scan", seen, version);
          ledger.audit("scan", seen);
        });
  }

  public int acknowledgedCount() {
    return ledger.acknowledgedCount();
  }

  /** Reads everything and holds it against the ledger; to be called while nobody transfers. */
  public Verdict check(Tables tables, String table) {
    scan(tables, table);
    return ledger.verdict();
  }

  /** One change of a branch. */
  record Transfer(long number, int from, int to, long amount) {
    static Transfer parse(String text) {
      String[] parts = text.split(" ", -1);
      return new Transfer(
          Long.parseLong(parts[0]),
          Integer.parseInt(parts[1]),
          Integer.parseInt(parts[2]),
          Long.parseLong(parts[3]));
    }

    @Override
    public String toString() {
      return number + " " + from + " " + to + " " + amount;
    }
  }

  /**
   * A branch as it was read.
   *
   * @param columns of the balances and the version
   * @param journal by version; empty where only the balances were read
   */
  public record Branch(String name, Map<String, Long> columns, Map<Long, Transfer> journal) {
    public Branch {
      columns = Map.copyOf(columns);
      journal = Map.copyOf(journal);
    }

    static Branch of(String name, List<Cell> cells) {
      Map<String, Long> columns = new TreeMap<>();
      Map<Long, Transfer> journal = new TreeMap<>();
      for (Cell cell : cells) {
        String column = cell.qualifier().toUtf8();
        if (cell.family().equals(BALANCES)) {
          columns.put(column, Long.parseLong(cell.value().toUtf8()));
        } else {
          journal.put(Long.parseLong(column), Transfer.parse(cell.value().toUtf8()));
        }
      }
      return new Branch(name, columns, journal);
    }

    boolean isWhole() {
      return columns.size() == ACCOUNTS + 1 && columns.containsKey(VERSION);
    }

    long version() {
      return columns.getOrDefault(VERSION, 0L);
    }

    long balance(int account) {
      return columns.getOrDefault(Integer.toString(account), 0L);
    }

    long sum() {
      long sum = 0;
      for (int account = 0; account < ACCOUNTS; account++) {
        sum += balance(account);
      }
      return sum;
    }
  }
}
