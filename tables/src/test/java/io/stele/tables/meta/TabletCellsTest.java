package io.stele.tables.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TabletCellsTest {
  @Test
  void theCellsReadAsTheSeedWritesThem() {
    SortedMap<String, List<FragmentRef>> fragments = new TreeMap<>();
    fragments.put(
        "main",
        List.of(
            FragmentRef.whole(FilePath.of("f/1.frag")),
            FragmentRef.restricted(
                FilePath.of("f/a b.frag"), Set.of(Bytes.utf8("x"), Bytes.utf8("a,b"))),
            FragmentRef.restricted(FilePath.of("f/3.frag"), Set.of())));
    fragments.put("none", List.of());
    TabletConfig config =
        new TabletConfig(
            "t",
            Bytes.utf8("row 1"),
            Optional.of(Bytes.utf8("row 2")),
            "10.0.0.1:4711",
            List.of(new LogRef(FilePath.of("logs/server 1"), 42)),
            fragments,
            9);
    List<String> cells = new ArrayList<>();
    for (Cell cell : Configs.puts(config)) {
      assertThat(cell.row()).isEqualTo(config.metaRow());
      assertThat(cell.timestamp()).isEqualTo(9);
      cells.add(cell.family() + ":" + cell.qualifier() + " " + cell.value());
    }
    assertThat(cells)
        .containsExactly(
            "first: row%201",
            "fragments:main f/1.frag f/a%20b.frag=a%2Cb,x f/3.frag=",
            "location: 10.0.0.1:4711",
            "log: logs/server%201 42");
    assertThat(config.fragments()).doesNotContainKey("none");
    assertThat(TabletCells.load(Configs.puts(config))).isEqualTo(config);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsSavedIsLoadedWhateverItsBytes(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    for (int i = 0; i < 300; i++) {
      TabletConfig config = random(random);
      assertThat(TabletCells.load(Configs.puts(config))).as("seed %d", seed).isEqualTo(config);
    }
  }

  @Test
  void aSaveErasesWhatTheRowSaidBefore() {
    CellBatchBuilder batch = new CellBatchBuilder();
    TabletCells.save(Configs.tablet("a", "c"), batch);
    var reader = batch.build().read();
    assertThat(reader.next()).isTrue();
    assertThat(reader.cell().kind).isEqualTo(CellKind.ERASE_ROW);
    assertThat(reader.cell().row()).isEqualTo(Configs.tablet("a", "c").metaRow());
  }

  @Test
  void anUnservedTabletHasNoLocationAndNoLog() {
    TabletConfig config = Configs.tablet("a", "c").withServer("", List.of());
    assertThat(Configs.puts(config))
        .extracting(cell -> cell.family().toUtf8())
        .containsExactly("first", "fragments");
    assertThat(TabletCells.load(Configs.puts(config))).isEqualTo(config);
  }

  @Test
  void logsOfServersThatHadItBeforeComeFirst() {
    LogRef older = new LogRef(FilePath.of("logs/1"), 7);
    LogRef newer = new LogRef(FilePath.of("logs/2"), 30);
    TabletConfig config = Configs.tablet("a", "c").withServer("host:2", List.of(older, newer));
    assertThat(Configs.puts(config))
        .filteredOn(cell -> cell.family().toUtf8().equals("log"))
        .extracting(cell -> cell.value().toUtf8())
        .containsExactly("logs/1 7 logs/2 30");
    assertThat(TabletCells.load(Configs.puts(config))).isEqualTo(config);
    assertThat(config.log()).contains(newer);
    assertThatThrownBy(() -> config.withServer("host:2", List.of(older, older)))
        .hasMessageContaining("logs/1 twice");
  }

  @ParameterizedTest
  @CsvSource({
    "log, '', logs/1, 'a directory, a space and a transaction, once or more'",
    "log, '', logs/1 5 logs/2, 'a directory, a space and a transaction, once or more'",
    "log, '', logs/1 5 logs/1 6, each log once",
    "log, '', logs/1 5 logs/2 x, a transaction",
    "log, '', logs/1 x, a transaction",
    "log, '', logs/1 -5, a transaction",
    "log, '', ' 5', a file path",
    "log, '', '../x 5', a file path",
    "first, '', a%2, plain text",
    "first, '', 'a b', plain text",
    "first, '', z, a row before the tablet's last",
    "first, q, a, a column of a tablet",
    "location, '', a%FF, UTF-8",
    "fragments, g, '', a file path",
    "fragments, g, 'a  b', a file path",
    "fragments, g, 'a b a', each file once",
    "fragments, g, 'a=x=y', plain text",
    "fragments, '', a, a column of a tablet",
    "schema, g:columns, a, a column of a tablet",
  })
  void damageIsToldWithRowColumnAndWhatWasFound(
      String family, String qualifier, String value, String expected) {
    List<Cell> cells = new ArrayList<>(Configs.puts(Configs.tablet("a", "c")));
    cells.removeIf(cell -> cell.family().toUtf8().equals(family));
    cells.add(
        Cell.put(
            cells.getFirst().row(),
            Bytes.utf8(family),
            Bytes.utf8(qualifier),
            3,
            Bytes.utf8(value)));
    assertThatThrownBy(() -> TabletCells.load(cells))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("tablet of table \"t\" up to row \"c\", column " + family + ":")
        .hasMessageContaining("expected " + expected)
        .hasMessageContaining("found \"" + value + "\"");
  }

  @Test
  void aRowWithoutFirstIsDamaged() {
    List<Cell> cells = new ArrayList<>(Configs.puts(Configs.tablet("a", "c")));
    cells.removeIf(cell -> cell.family().toUtf8().equals("first"));
    assertThatThrownBy(() -> TabletCells.load(cells))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("expected a column first:, found none");
  }

  @Test
  void theRootIsReadAsWritten() {
    TabletConfig root = Configs.tablet("", "!");
    root =
        new TabletConfig(
            TableNames.META0,
            root.first(),
            root.last(),
            root.location(),
            root.logs(),
            root.fragments(),
            root.revision());
    assertThat(RootConfig.decode(RootConfig.encode(root))).isEqualTo(root);
    TabletConfig bare = TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty());
    assertThat(RootConfig.decode(RootConfig.encode(bare))).isEqualTo(bare);
  }

  @Test
  void everyDamagedByteOfTheRootIsFound() {
    Bytes root =
        RootConfig.encode(TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty()));
    for (int at = 0; at < root.length(); at++) {
      byte[] damaged = root.toArray();
      damaged[at] ^= 0x10;
      assertThatThrownBy(() -> RootConfig.decode(Bytes.wrap(damaged)))
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("the root store");
    }
    for (int length = 0; length < root.length(); length++) {
      Bytes cut = Bytes.copyOf(root.toArray(), 0, length);
      assertThatThrownBy(() -> RootConfig.decode(cut)).isInstanceOf(CorruptDataException.class);
    }
  }

  @Test
  void onlyTheTabletOfMeta0IsARoot() {
    assertThatThrownBy(() -> RootConfig.encode(Configs.tablet("", "!")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("table \"t\"");
  }

  private static TabletConfig random(RandomGenerator random) {
    SortedMap<String, List<FragmentRef>> fragments = new TreeMap<>();
    for (int g = random.nextInt(3); g >= 0; g--) {
      List<FragmentRef> chain = new ArrayList<>();
      for (int f = random.nextInt(4); f >= 0; f--) {
        FilePath path = FilePath.of("f " + f + "=" + random.nextInt(1000) + ",%\u00e4");
        Set<Bytes> families = new HashSet<>();
        for (int c = random.nextInt(3); c > 0; c--) {
          families.add(bytes(random));
        }
        chain.add(
            new FragmentRef(path, random.nextBoolean() ? Optional.of(families) : Optional.empty()));
      }
      fragments.put("g" + g, chain);
    }
    Bytes first = random.nextInt(4) == 0 ? Bytes.EMPTY : bytes(random);
    return new TabletConfig(
        "table " + random.nextInt(10),
        first,
        random.nextInt(4) == 0 ? Optional.empty() : Optional.of(first.concat(bytes(random))),
        random.nextBoolean() ? "" : "h\u00f6st " + random.nextInt(10) + ":1",
        logs(random),
        fragments,
        random.nextInt(2) * 77L,
        random.nextInt(1, 4),
        random.nextInt(1, 1000));
  }

  private static List<LogRef> logs(RandomGenerator random) {
    List<LogRef> logs = new ArrayList<>();
    for (int l = random.nextInt(4); l > 0; l--) {
      logs.add(
          new LogRef(
              FilePath.of("l " + l + "," + random.nextInt(9)),
              random.nextInt(100),
              random.nextInt(1, 4)));
    }
    return logs;
  }

  private static Bytes bytes(RandomGenerator random) {
    byte[] bytes = new byte[1 + random.nextInt(8)];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }
}
