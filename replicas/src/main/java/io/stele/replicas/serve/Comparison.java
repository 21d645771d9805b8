package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Replicas.Difference;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.partition.MergedCells;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.push.ReplicaPeer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Compares the replicas of partitions, by digests of ever smaller pieces, and brings together what
 * differs. What is being written differs for moments: it is looked at again before it is told.
 */
final class Comparison {
  private static final int PIECES = 32;
  private static final int FEW_ROWS = 64; // are compared one by one
  private static final int STORED_BYTES = 1 << 20;
  private static final int LOOKS = 5;
  private static final long BEFORE_SECOND_LOOK = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST_CELLS_TOLD = 8;

  private final Machinery machinery;
  private final Gathering gathering;

  Comparison(Machinery machinery) {
    this.machinery = machinery;
    this.gathering = new Gathering(machinery);
  }

  // ---- verify

  List<Difference> verify(String table, RowRange rows) {
    MetadataCache.Known known = machinery.table(table);
    List<Difference> differences = new ArrayList<>();
    for (Partition partition : Reads.partitions(known, rows).toList()) {
      RowRange range = partition.rows().intersect(rows).orElseThrow();
      Replicas replicas = new Replicas(known, partition);
      List<RowRange> suspects = replicas.differing(range);
      Map<Bytes, List<String>> found = replicas.rowsThatDiffer(suspects);
      for (int look = 1; look < LOOKS && !found.isEmpty(); look++) {
        LockSupport.parkNanos(BEFORE_SECOND_LOOK << (look - 1));
        found = replicas.rowsThatDiffer(found.keySet().stream().map(RowRange::row).toList());
      }
      replicas.silent.forEach(
          (server, problem) ->
              differences.add(
                  new Difference(partition.id(), range.from(), List.of(server + ": " + problem))));
      found.forEach((row, lines) -> differences.add(new Difference(partition.id(), row, lines)));
    }
    return differences;
  }

  // ---- repair

  long repair(String table, RowRange rows) {
    MetadataCache.Known known = machinery.table(table);
    long sent = 0;
    for (Partition partition : Reads.partitions(known, rows).toList()) {
      Replicas replicas = new Replicas(known, partition);
      for (RowRange range : replicas.differing(partition.rows().intersect(rows).orElseThrow())) {
        sent += replicas.mend(range);
      }
    }
    return sent;
  }

  /**
   * What became of a range.
   *
   * @param cells that were sent to some replica
   * @param silent servers that did not answer
   */
  record Repaired(long cells, Set<String> silent) {}

  /** Repairs a range of one partition that still differs when it is looked at again. */
  Repaired repair(MetadataCache.Known known, Partition partition, RowRange range) {
    Replicas replicas = new Replicas(known, partition);
    List<RowRange> differing = replicas.differing(range);
    for (int look = 1; look < LOOKS && !differing.isEmpty(); look++) {
      LockSupport.parkNanos(BEFORE_SECOND_LOOK << (look - 1));
      differing = differing.stream().flatMap(each -> replicas.differing(each).stream()).toList();
    }
    long sent = 0;
    for (RowRange each : differing) {
      sent += replicas.mend(each);
    }
    return new Repaired(sent, Set.copyOf(replicas.silent.keySet()));
  }

  /** The replicas of one partition. */
  private final class Replicas {
    private final MetadataCache.Known known;
    private final Partition partition;
    private final Map<String, String> silent = new TreeMap<>(); // why, by server

    private Replicas(MetadataCache.Known known, Partition partition) {
      this.known = known;
      this.partition = partition;
    }

    /** Small ranges that are not the same on all replicas that answer. */
    private List<RowRange> differing(RowRange range) {
      List<RowRange> differing = new ArrayList<>();
      List<Bytes> cuts = cuts(range);
      List<List<Digest>> digests = digests(range, cuts);
      Bytes from = range.from();
      for (int piece = 0; piece <= cuts.size(); piece++) {
        Bytes to = piece < cuts.size() ? cuts.get(piece) : range.to();
        RowRange part = new RowRange(from, to);
        int at = piece;
        List<Digest> each = digests.stream().map(all -> all.get(at)).toList();
        if (each.stream().distinct().count() > 1) {
          long most = each.stream().mapToLong(Digest::rows).max().orElse(0);
          if (most <= FEW_ROWS || cuts.isEmpty()) {
            differing.add(part);
          } else {
            differing.addAll(differing(part));
          }
        }
        from = to == null ? from : to;
      }
      return differing;
    }

    /** By the replica here; if there is none, by what one elsewhere has stored. */
    private List<Bytes> cuts(RowRange range) {
      return machinery
          .host()
          .replica(partition.id())
          .map(each -> each.store().cuts(range, PIECES))
          .orElseGet(() -> cutsElsewhere(range))
          .stream()
          .filter(each -> each.compareTo(range.from()) > 0)
          .filter(each -> range.to() == null || each.compareTo(range.to()) < 0)
          .toList();
    }

    private List<Bytes> cutsElsewhere(RowRange range) {
      List<Bytes> cuts = new ArrayList<>();
      Optional<Bytes> next = Optional.of(range.from());
      while (next.isPresent()) {
        RowRange rest = new RowRange(next.get(), range.to());
        next =
            gathering
                .stored(
                    known.config().id(), partition.id(), partition.members(), rest, STORED_BYTES)
                .stream()
                .flatMap(each -> each.value().stream())
                .map(each -> each.cells().end())
                .flatMap(Optional<Bytes>::stream)
                .min(Bytes::compareTo);
        next.ifPresent(cuts::add);
      }
      return cuts;
    }

    private List<List<Digest>> digests(RowRange range, List<Bytes> cuts) {
      List<List<Digest>> digests = new ArrayList<>();
      gathering
          .ask(
              partition.members(),
              peer -> peer.digests(known.config().id(), partition.id(), range, cuts))
          .forEach(
              each -> {
                each.value().ifPresent(digests::add);
                if (each.value().isEmpty()) {
                  silent.put(each.from().server(), each.problem());
                }
              });
      return digests;
    }

    private Map<Bytes, List<String>> rowsThatDiffer(List<RowRange> ranges) {
      Map<Bytes, List<String>> found = new LinkedHashMap<>();
      for (RowRange range : ranges) {
        Map<Assignment, Map<Bytes, List<Cell>>> all = new LinkedHashMap<>();
        for (Gathering.Answer<ReplicaPeer.Stored> answer : whole(range)) {
          MergedCells own = merged();
          answer.value().ifPresent(each -> own.add(each.cells().cells(), range));
          all.put(
              answer.from(),
              own.visible(ReadPredicate.rows(range)).stream()
                  .collect(Collectors.groupingBy(Cell::row, TreeMap::new, Collectors.toList())));
        }
        all.values().stream()
            .flatMap(rows -> rows.keySet().stream())
            .distinct()
            .sorted()
            .filter(
                row ->
                    all.values().stream()
                            .map(rows -> rows.getOrDefault(row, List.of()))
                            .distinct()
                            .count()
                        > 1)
            .forEach(
                row -> {
                  List<String> lines = new ArrayList<>();
                  all.forEach(
                      (from, rows) -> lines.add(describe(from, rows.getOrDefault(row, List.of()))));
                  found.put(row, lines);
                });
      }
      return found;
    }

    private MergedCells merged() {
      return new MergedCells(known.config().schema(), machinery.clock());
    }

    /** All that is stored of a small range, of those that answer. */
    private List<Gathering.Answer<ReplicaPeer.Stored>> whole(RowRange range) {
      return gathering
          .stored(
              known.config().id(),
              partition.id(),
              partition.members(),
              range,
              Integer.MAX_VALUE / 4)
          .stream()
          .filter(each -> each.value().isPresent())
          .toList();
    }

    /** Sends each replica what it lacks of a range; answers how many cells that were. */
    private long mend(RowRange range) {
      long sent = 0;
      Optional<Bytes> from = Optional.of(range.from());
      while (from.isPresent()) {
        RowRange rest = new RowRange(from.get(), range.to());
        List<Gathering.Answer<ReplicaPeer.Stored>> answers =
            gathering
                .stored(
                    known.config().id(), partition.id(), partition.members(), rest, STORED_BYTES)
                .stream()
                .filter(each -> each.value().isPresent())
                .toList();
        List<StoredCells> all =
            answers.stream().map(each -> each.value().orElseThrow().cells()).toList();
        from = Gathering.commonEnd(all);
        RowRange page = new RowRange(rest.from(), from.orElse(rest.to()));
        MergedCells merged = merged();
        all.forEach(each -> merged.add(each.cells(), page));
        sent += send(answers, merged.missing());
      }
      return sent;
    }

    private long send(
        List<Gathering.Answer<ReplicaPeer.Stored>> answers, List<List<Cell>> missing) {
      long sent = 0;
      for (int i = 0; i < answers.size(); i++) {
        List<Cell> lacking = missing.get(i);
        if (!lacking.isEmpty()) {
          Bytes packed = MergedCells.pack(lacking);
          sent +=
              gathering
                      .ask(
                          List.of(answers.get(i).from()),
                          peer ->
                              peer.repair(known.config().id(), partition.id(), packed)
                                  .thenApply(_ -> true))
                      .getFirst()
                      .value()
                      .isPresent()
                  ? lacking.size()
                  : 0;
        }
      }
      return sent;
    }
  }

  private static String describe(Assignment from, List<Cell> cells) {
    String shown =
        cells.stream()
            .limit(MOST_CELLS_TOLD)
            .map(
                cell ->
                    cell.family()
                        + ":"
                        + cell.qualifier()
                        + "@"
                        + cell.timestamp()
                        + "="
                        + shortened(cell.value()))
            .collect(Collectors.joining(", "));
    return from.server()
        + ": "
        + (cells.isEmpty()
            ? "nothing"
            : cells.size() > MOST_CELLS_TOLD ? cells.size() + " cells, " + shown + ", …" : shown);
  }

  private static String shortened(Bytes value) {
    int most = 32;
    return value.length() <= most
        ? value.toString()
        : Bytes.copyOf(value.sharedArray(), 0, most) + "… (" + value.length() + " bytes)";
  }
}
