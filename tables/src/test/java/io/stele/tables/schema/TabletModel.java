package io.stele.tables.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.FragmentRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A tablet reduced to what schema changes bear upon: cells are a row, a family and a transaction,
 * files are lists of them, and a rooted compaction drops erasures with all that they hide. Beside
 * the chains it keeps what a reader must see.
 */
final class TabletModel {
  /**
   * A put, or an erasure of a family, or of the whole row if there is no family.
   *
   * @param family empty for a row erasure
   */
  record ModelCell(int row, String family, boolean erasure, long txn) {
    boolean hides(ModelCell put) {
      return erasure
          && row == put.row
          && (family.isEmpty() || family.equals(put.family))
          && txn > put.txn;
    }
  }

  private record Column(int row, String family) {}

  private final Map<FilePath, List<ModelCell>> files = new HashMap<>();
  private final Map<String, List<ModelCell>> memory = new TreeMap<>();
  private final Map<Column, Long> expected = new HashMap<>();
  private TableSchema schema;
  private SortedMap<String, List<FragmentRef>> chains = new TreeMap<>();
  private long txn;

  TabletModel(TableSchema schema) {
    this.schema = schema;
  }

  SortedMap<String, List<FragmentRef>> chains() {
    return chains;
  }

  List<FragmentRef> chain(String group) {
    return chains.getOrDefault(group, List.of());
  }

  TableSchema schema() {
    return schema;
  }

  void put(int row, String family) {
    txn++;
    schema
        .groupOf(family)
        .ifPresent(
            group -> {
              remember(group, new ModelCell(row, family, false, txn));
              expected.put(new Column(row, family), txn);
            });
  }

  void eraseFamily(int row, String family) {
    txn++;
    schema
        .groupOf(family)
        .ifPresent(group -> remember(group, new ModelCell(row, family, true, txn)));
    expected.remove(new Column(row, family));
  }

  void eraseRow(int row) {
    txn++;
    schema.groups().forEach(group -> remember(group, new ModelCell(row, "", true, txn)));
    expected.keySet().removeIf(column -> column.row() == row);
  }

  private void remember(GroupSchema group, ModelCell cell) {
    memory.computeIfAbsent(group.name(), any -> new ArrayList<>()).add(cell);
  }

  void flush(String group) {
    List<ModelCell> cells = memory.remove(group);
    if (cells != null) {
      FilePath path = file(cells);
      chains.computeIfAbsent(group, any -> new ArrayList<>()).add(FragmentRef.whole(path));
    }
  }

  /** Writes all that is in memory to one file that the groups share. */
  void flushTogether(String name) {
    List<ModelCell> cells = new ArrayList<>();
    memory.values().forEach(cells::addAll);
    FilePath path = FilePath.of(name);
    files.put(path, List.copyOf(cells));
    for (String group : memory.keySet()) {
      Set<Bytes> own = new HashSet<>();
      for (ModelCell cell : memory.getOrDefault(group, List.of())) {
        if (!cell.family().isEmpty()) {
          own.add(Bytes.utf8(cell.family()));
        }
      }
      chains
          .computeIfAbsent(group, any -> new ArrayList<>())
          .add(
              own.equals(contents(path).families())
                  ? FragmentRef.whole(path)
                  : FragmentRef.restricted(path, own));
    }
    memory.clear();
  }

  private FilePath file(List<ModelCell> cells) {
    FilePath path = FilePath.of("f" + files.size());
    files.put(path, List.copyOf(cells));
    return path;
  }

  /** Merges a run of a chain into one file. */
  void compact(String group, int from, int to) {
    List<FragmentRef> chain = chain(group);
    List<FragmentRef> run = chain.subList(from, to);
    List<ModelCell> all = new ArrayList<>();
    run.forEach(fragment -> all.addAll(counting(fragment)));
    List<ModelCell> kept = new ArrayList<>();
    for (ModelCell cell : all) {
      boolean gone = cell.erasure() ? from == 0 : all.stream().anyMatch(e -> e.hides(cell));
      if (!gone) {
        kept.add(cell);
      }
    }
    List<FragmentRef> output = kept.isEmpty() ? List.of() : List.of(FragmentRef.whole(file(kept)));
    List<FragmentRef> changed = new ArrayList<>(chain.subList(0, from));
    changed.addAll(output);
    changed.addAll(chain.subList(to, chain.size()));
    chains.put(group, changed);
  }

  void alter(TableSchema next) {
    schema.groups().forEach(group -> flush(group.name()));
    schema = next;
    reload();
    expected.keySet().removeIf(column -> next.groupOf(column.family()).isEmpty());
  }

  /** Makes the chains anew from the saved ones; doing it twice must change nothing more. */
  void reload() {
    SortedMap<String, List<FragmentRef>> once = plan(chains);
    assertThat(plan(once)).isEqualTo(once);
    chains = new TreeMap<>();
    once.forEach((group, chain) -> chains.put(group, new ArrayList<>(chain)));
  }

  private SortedMap<String, List<FragmentRef>> plan(SortedMap<String, List<FragmentRef>> saved) {
    return ChainPlan.plan("tablet", schema, saved, this::contents);
  }

  private ChainPlan.Contents contents(FilePath path) {
    Set<Bytes> families = new HashSet<>();
    boolean rowErasures = false;
    long maxTxn = 0;
    for (ModelCell cell : files.getOrDefault(path, List.of())) {
      maxTxn = Math.max(maxTxn, cell.txn());
      rowErasures |= cell.family().isEmpty();
      if (!cell.family().isEmpty()) {
        families.add(Bytes.utf8(cell.family()));
      }
    }
    return new ChainPlan.Contents(families, rowErasures, maxTxn);
  }

  /** A reader of every column sees its newest put unless an erasure came later. */
  void check(String when) {
    Map<Column, Long> seen = new HashMap<>();
    for (GroupSchema group : schema.groups()) {
      List<ModelCell> cells = new ArrayList<>(memory.getOrDefault(group.name(), List.of()));
      chains
          .getOrDefault(group.name(), List.of())
          .forEach(fragment -> cells.addAll(counting(fragment)));
      for (ModelCell cell : cells) {
        if (!cell.erasure() && cells.stream().noneMatch(other -> other.hides(cell))) {
          assertThat(schema.groupOf(cell.family())).contains(group);
          seen.merge(new Column(cell.row(), cell.family()), cell.txn(), Math::max);
        }
      }
    }
    assertThat(seen).as(when).isEqualTo(expected);
  }

  private List<ModelCell> counting(FragmentRef fragment) {
    return files.getOrDefault(fragment.path(), List.of()).stream()
        .filter(
            cell ->
                cell.family().isEmpty()
                    || fragment
                        .families()
                        .map(only -> only.contains(Bytes.utf8(cell.family())))
                        .orElse(true))
        .toList();
  }
}
