package io.stele.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.tables.master.TabletControl;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.RootConfig;
import io.stele.tables.meta.RootStore;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletCells;
import io.stele.tables.meta.TabletConfig;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** META on several servers, which are not there: what is sent to whom. */
@Timeout(20)
class ClusterMetaTest {
  private static final Bytes FAMILY = Bytes.utf8("f");

  /** What servers were told, by their addresses: {@code row=value} of each cell. */
  private final Map<String, List<String>> applied = new LinkedHashMap<>();

  private final Map<String, Long> commitMax = new LinkedHashMap<>();
  private final Deque<SteleException> failures = new ArrayDeque<>();
  private final Map<String, SteleException> down = new LinkedHashMap<>();
  private final List<CellPage> pages = new ArrayList<>();
  private int looks;

  /** META1 as META0 says: up to m at one server, behind it at another. */
  private List<TabletConfig> meta1 = List.of(tablet("", "m", "a:1"), tablet("m", "", "b:2"));

  /** Advances with each look at it: a slow machine leaves no fewer attempts than a fast one. */
  private final Clock clock =
      new Clock() {
        private final AtomicLong millis = new AtomicLong();

        @Override
        public long micros() {
          return millis.get() * 1_000;
        }

        @Override
        public long nanos() {
          return millis.addAndGet(20) * 1_000_000;
        }
      };

  private final ClusterMeta meta =
      new ClusterMeta(root("root:0"), _ -> reads(), this::server, Duration.ofMillis(300), clock);

  @AfterEach
  void close() {
    meta.close();
  }

  private static TabletConfig tablet(String first, String last, String address) {
    return TabletConfig.empty(
            TableNames.META1,
            Bytes.utf8(first),
            last.isEmpty() ? Optional.empty() : Optional.of(Bytes.utf8(last)))
        .withServer(address, List.of());
  }

  private static RootStore root(String address) {
    return new RootStore() {
      @Override
      public Optional<Root> load() {
        TabletConfig config =
            TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty())
                .withServer(address, List.of());
        return Optional.of(new Root(RootConfig.encode(config), 1));
      }

      @Override
      public long save(Bytes config, long expected) {
        throw new AssertionError("the root is not to be saved");
      }

      @Override
      public Optional<UUID> identity() {
        return Optional.empty();
      }

      @Override
      public UUID identify(UUID proposed) {
        throw new AssertionError("the id is not to be saved");
      }
    };
  }

  /** META0 has what {@link #meta1} says, META1 the pages. */
  private Tables reads() {
    return (Tables)
        Proxy.newProxyInstance(
            Tables.class.getClassLoader(),
            new Class<?>[] {Tables.class},
            (_, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("scan");
              assertThat(((ScanOptions) arguments[2]).latest()).isTrue();
              if (arguments[0].equals(TableNames.META0)) {
                looks++;
                CellBatchBuilder cells = new CellBatchBuilder();
                meta1.forEach(config -> TabletCells.save(config, cells));
                return scan(List.of(puts(cells.build(), 1)));
              }
              return scan(pages);
            });
  }

  /** As a reader gets it: without the erasures that go before a save. */
  private static CellPage puts(CellBatch batch, long txn) {
    CellBatchBuilder puts = new CellBatchBuilder();
    for (Cell cell : cells(batch)) {
      if (cell.kind() == CellKind.PUT) {
        puts.add(cell);
      }
    }
    return new CellPage(txn, Optional.of(puts.build()), false);
  }

  private static TableScan scan(List<CellPage> pages) {
    Deque<CellPage> left = new ArrayDeque<>(pages);
    return new TableScan() {
      @Override
      public long txn() {
        throw new AssertionError("each page has its own");
      }

      @Override
      public CellPage next(int maxBytes) {
        return left.removeFirst();
      }

      @Override
      public void close() {}
    };
  }

  private TabletControl server(String address) {
    return (TabletControl)
        Proxy.newProxyInstance(
            TabletControl.class.getClassLoader(),
            new Class<?>[] {TabletControl.class},
            (_, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("applyMeta");
              if (down.containsKey(address)) {
                throw down.get(address);
              }
              if (!failures.isEmpty()) {
                throw failures.removeFirst();
              }
              commitMax.put(address, (long) arguments[2]);
              List<String> told = applied.computeIfAbsent(address, _ -> new ArrayList<>());
              cells((CellBatch) arguments[1])
                  .forEach(cell -> told.add(cell.row().toUtf8() + "=" + cell.value().toUtf8()));
              return 9L;
            });
  }

  private static List<Cell> cells(CellBatch batch) {
    List<Cell> cells = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      cells.add(reader.cell().toCell());
    }
    return cells;
  }

  private static CellBatch batch(String... rows) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (String row : rows) {
      batch.put(Bytes.utf8(row), FAMILY, Bytes.EMPTY, 1, Bytes.utf8("v"));
    }
    return batch.build();
  }

  private long apply(String metaTable, long commitMaxTxn, String... rows) {
    return Futures.await(meta.apply(metaTable, batch(rows), commitMaxTxn, true));
  }

  @Test
  void rowsGoToTheServersThatHaveThem() {
    assertThat(apply(TableNames.META1, 7, "a", "m", "n", "z")).isZero();

    assertThat(applied)
        .containsOnly(
            Map.entry("a:1", List.of("a=v", "m=v")), Map.entry("b:2", List.of("n=v", "z=v")));
    assertThat(commitMax).containsOnly(Map.entry("a:1", 7L), Map.entry("b:2", 7L));
    assertThat(looks).as("what was found is kept").isOne();

    apply(TableNames.META0, Tables.ANY_TXN, "x");
    assertThat(applied.get("root:0")).containsExactly("x=v");
  }

  @Test
  void rowsAreTogetherThatOneServerHas() {
    List<Bytes> rows = List.of(Bytes.utf8("a"), Bytes.utf8("m"), Bytes.utf8("n"));

    assertThat(meta.together(TableNames.META1, rows))
        .containsExactly(rows.subList(0, 2), rows.subList(2, 3));
    assertThat(meta.together(TableNames.META0, rows)).containsExactly(rows);
  }

  @Test
  void aTabletThatMovedIsLookedForAgain() {
    apply(TableNames.META1, Tables.ANY_TXN, "a");
    meta1 = List.of(tablet("", "", "c:3"));
    failures.add(new NotServingException("moved"));
    failures.add(new UnavailableException("no connection"));

    apply(TableNames.META1, Tables.ANY_TXN, "b");

    assertThat(applied.get("a:1")).containsExactly("a=v");
    assertThat(applied.get("c:3")).containsExactly("b=v");
  }

  @Test
  void aTabletThatNobodyHasIsWaitedForButNotForEver() {
    meta1 = List.of(tablet("", "", ""));

    assertThatThrownBy(() -> apply(TableNames.META1, Tables.ANY_TXN, "a"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("META1: not saved within 300 ms: no server has the tablet of META1");
    assertThatThrownBy(() -> meta.together(TableNames.META1, List.of(Bytes.utf8("a"))))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("META1: not found within 300 ms");
    assertThat(looks).as("more than once").isGreaterThan(2);
  }

  @Test
  void whatMayHaveBeenDoneIsNotDoneAgain() {
    failures.add(new OutcomeUnknownException("lost"));
    assertThatThrownBy(() -> apply(TableNames.META1, Tables.ANY_TXN, "a"))
        .isInstanceOf(OutcomeUnknownException.class);

    // A server that lost its session may have logged it, and the next one replays that.
    failures.add(new FencedException("session lost"));
    assertThatThrownBy(() -> apply(TableNames.META1, Tables.ANY_TXN, "a"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("session lost");

    failures.add(new ConflictException("newer"));
    assertThatThrownBy(() -> apply(TableNames.META1, 3, "a")).isInstanceOf(ConflictException.class);
    assertThat(applied).isEmpty();
  }

  @Test
  void aPartThatIsDoneMakesTheRestUnknown() {
    down.put("b:2", new NotServingException("not here"));

    assertThatThrownBy(() -> apply(TableNames.META1, Tables.ANY_TXN, "a", "z"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("not here; a part of it was");
    assertThat(applied).containsOnly(Map.entry("a:1", List.of("a=v")));
  }

  @Test
  void aScanOfSeveralServersHasNoTransaction() {
    pages.add(new CellPage(5, Optional.of(batch("a")), true));
    pages.add(new CellPage(5, Optional.of(batch("b")), false));
    List<String> seen = new ArrayList<>();
    assertThat(
            meta.scan(TableNames.META1, ReadPredicate.ALL, cell -> seen.add(cell.row().toUtf8())))
        .isEqualTo(5);
    assertThat(seen).containsExactly("a", "b");

    pages.set(1, new CellPage(6, Optional.of(batch("b")), true));
    pages.add(new CellPage(6, Optional.empty(), false));
    assertThat(meta.scan(TableNames.META1, ReadPredicate.ALL, _ -> true)).isZero();
    assertThat(meta.scan(TableNames.META1, ReadPredicate.ALL, _ -> false))
        .as("no more was read than one page")
        .isEqualTo(5);
  }
}
