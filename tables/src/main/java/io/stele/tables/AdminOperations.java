package io.stele.tables;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.RowSample;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletLocation;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.files.MetaFiles;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.MetaVerifier;
import io.stele.tables.meta.TableNames;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** What people ask of a tablet server, apart from rows. */
final class AdminOperations {
  private static final long SAMPLE_BYTES = 16L << 20;

  private final Machinery machinery;

  AdminOperations(Machinery machinery) {
    this.machinery = machinery;
  }

  List<String> list(boolean withMeta) {
    TreeSet<String> names = new TreeSet<>(machinery.meta().tables());
    machinery.tables().all().forEach(table -> names.add(table.name()));
    if (!withMeta) {
      names.removeIf(TableNames::isReserved);
    }
    return List.copyOf(names);
  }

  // ---- tablets

  List<TabletInfo> tablets(Table table) {
    List<TabletInfo> infos = new ArrayList<>();
    for (TabletView tablet : table.view().tablets()) {
      infos.add(info(table, tablet));
    }
    return infos;
  }

  private TabletInfo info(Table table, TabletView tablet) {
    List<TabletInfo.FileInfo> files = new ArrayList<>();
    long bytes = 0;
    for (String group : tablet.files().keySet()) {
      for (FragmentRef ref : tablet.files().getOrDefault(group, List.of())) {
        long length = length(ref.path());
        bytes += length;
        files.add(new TabletInfo.FileInfo(group, ref.path().toString(), length, families(ref)));
      }
    }
    return new TabletInfo(
        table.name(),
        tablet.first(),
        tablet.last(),
        tablet.state().number(),
        tablet.state().text(),
        machinery.home().address(),
        table.view().memoryBytes(),
        bytes,
        files);
  }

  private static List<String> families(FragmentRef ref) {
    return ref.families()
        .map(only -> only.stream().map(Bytes::toUtf8).sorted().toList())
        .orElse(List.of());
  }

  private long length(FilePath path) {
    try {
      return machinery.parts().files().stat(path).map(info -> info.length()).orElse(0L);
    } catch (IOException e) {
      throw new UnavailableException("file " + path + " cannot be looked at: " + e, e);
    }
  }

  private TabletView tabletOf(Table table, Bytes row) {
    Bytes probe = row.isEmpty() ? row.successor() : row;
    return table
        .view()
        .find(probe)
        .orElseThrow(
            () ->
                new NotServingException(
                    "no tablet of table \""
                        + table.name()
                        + "\" with row \""
                        + row
                        + "\" is loaded here"));
  }

  Bytes split(Table table, Bytes at, Bytes row) {
    Tablet tablet = tabletOf(table, row.isEmpty() ? at : row).tablet();
    return machinery
        .splitter()
        .split(table, tablet, row.isEmpty() ? Optional.empty() : Optional.of(row));
  }

  void join(Table table, Bytes row) {
    machinery.splitter().join(table, tabletOf(table, row).tablet());
  }

  /** Rows by the index of the files: no data is read. */
  List<RowSample> sampleRows(Table table) {
    NavigableMap<Bytes, Long> pieces = new TreeMap<>();
    for (TabletView cold : table.view().tablets()) {
      machinery.warmer().warm(table, cold.tablet());
      try (var borrowed = table.borrow()) {
        borrowed
            .view()
            .find(cold.tablet())
            .ifPresent(
                tablet -> {
                  for (DiskFragment fragment : tablet.fragments()) {
                    fragment.pieces(
                        tablet.range(), (row, bytes) -> pieces.merge(row, bytes, Long::sum));
                  }
                  tablet.last().ifPresent(last -> pieces.merge(last, 0L, Long::sum));
                });
      }
    }
    TreeSet<Bytes> ends = new TreeSet<>();
    table.view().tablets().forEach(tablet -> tablet.last().ifPresent(ends::add));
    List<RowSample> samples = new ArrayList<>();
    long offset = 0;
    long told = 0;
    for (var piece : pieces.entrySet()) {
      offset += piece.getValue();
      if (offset - told >= SAMPLE_BYTES || ends.contains(piece.getKey())) {
        samples.add(new RowSample(piece.getKey(), offset));
        told = offset;
      }
    }
    samples.add(new RowSample(Bytes.EMPTY, offset));
    return samples;
  }

  /** Where one server has all tablets, it is all the same which is meant. */
  List<TabletLocation> locateAlone(String table, Bytes row, int most) {
    var _ = machinery.tables().await(table);
    return List.of(new TabletLocation(Bytes.EMPTY, Optional.empty(), machinery.home().address()));
  }

  // ---- META

  List<MetaProblem> verify(String table) {
    List<MetaProblem> problems = new ArrayList<>();
    for (String name : named(table)) {
      problems.addAll(machinery.meta().verify(name, verifier()));
    }
    return problems;
  }

  List<MetaProblem> repair(String table, boolean apply) {
    List<MetaProblem> problems = new ArrayList<>();
    for (String name : named(table)) {
      List<MetaProblem> found = machinery.meta().repair(name, verifier(), apply);
      problems.addAll(found);
      if (found.stream().anyMatch(MetaProblem::repaired) && !TableNames.isReserved(name)) {
        machinery.lifecycle().loadTable(name); // what could not be served until now
      }
    }
    return problems;
  }

  private List<String> named(String table) {
    return table.isEmpty() ? list(true) : List.of(table);
  }

  private MetaVerifier verifier() {
    return new MetaFiles(machinery.parts().files())
        .verifier(location -> location.equals(machinery.home().address()));
  }

  void loadFixed(String table, String configFile) {
    machinery.lifecycle().loadFixed(table, FilePath.of(configFile));
  }

  /** META is on this server, so there is one address at which it can be. */
  void setMetaLocation(String address) {
    if (!address.equals(machinery.home().address())) {
      throw new InvalidRequestException(
          "META0 cannot be at \""
              + address
              + "\": this server runs alone and has it at \""
              + machinery.home().address()
              + "\"");
    }
  }
}
