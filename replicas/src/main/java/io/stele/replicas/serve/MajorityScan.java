package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.ScanOptions.Position;
import io.stele.base.table.TableScan;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.partition.MergedCells;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.push.ReplicaPeer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A scan of one partition that asks a majority of its replicas, and merges what they have: so it
 * sees all that a majority has acknowledged, though one replica may lack it. That one is sent what
 * it lacks.
 *
 * <p>While a partition is split, its halves' majorities are asked too: they may have taken its
 * place by now. Whether it is, is asked of those that answer: where one knows newer METADATA, the
 * rows are read again under that.
 */
final class MajorityScan implements TableScan {
  private static final int STORED_BYTES = 1 << 20;

  private final Machinery machinery;
  private final Gathering gathering;
  private final MetadataCache.Known known;
  private final Partition partition;
  private final ReadPredicate predicate;
  private final Optional<Position> after;
  private final long maxRows;

  private final Deque<Cell> cells = new ArrayDeque<>(); // read, and not yet handed out
  private int range; // of the predicate's rows
  private Bytes from;
  private boolean read; // to the end
  private long rows;
  private Optional<Bytes> row = Optional.empty();

  MajorityScan(
      Machinery machinery,
      MetadataCache.Known known,
      Partition partition,
      ReadPredicate predicate,
      ScanOptions options) {
    this.machinery = machinery;
    this.gathering = new Gathering(machinery);
    this.known = known;
    this.partition = partition;
    this.predicate = predicate;
    this.after = options.after();
    this.maxRows = options.maxRows();
    this.from = predicate.rows().getFirst().from();
  }

  /** METADATA is another by now: who reads must begin again under it. */
  static final class Outdated extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Outdated(String message) {
      super(message, null, false, false);
    }
  }

  @Override
  public long txn() {
    return 0;
  }

  @Override
  public CellPage next(int maxBytes) {
    while (cells.isEmpty() && !read) {
      fetch();
    }
    CellBatchWriter page = new CellBatchWriter(Math.min(maxBytes, 64 << 10));
    while (!cells.isEmpty() && (page.count() == 0 || page.size() < maxBytes)) {
      Cell cell = cells.removeFirst();
      if (row.isEmpty() || !row.get().equals(cell.row())) {
        if (maxRows > 0 && rows == maxRows) {
          cells.clear();
          read = true;
          break;
        }
        rows++;
        row = Optional.of(cell.row());
      }
      page.add(cell.view());
    }
    return new CellPage(0, page.finish(0), !cells.isEmpty() || !read);
  }

  /** Reads the next rows. */
  private void fetch() {
    RowRange wanted = new RowRange(from, predicate.rows().get(range).to());
    List<Gathering.Answer<Gathering.Stored>> answers =
        majority(partition.id(), partition.members(), wanted);
    List<StoredCells> all = new ArrayList<>();
    answers.forEach(each -> all.add(each.value().orElseThrow().cells()));
    for (Partition.Half half : halves(wanted)) {
      majority(half.id(), half.members(), wanted)
          .forEach(each -> all.add(each.value().orElseThrow().cells()));
    }
    Optional<Bytes> end = Gathering.commonEnd(all);
    RowRange whole = new RowRange(wanted.from(), end.orElse(wanted.to()));
    MergedCells merged = new MergedCells(known.config().schema(), machinery.clock());
    all.forEach(each -> merged.add(each.cells(), whole));
    mend(answers, merged);
    merged.visible(predicate.withRows(List.of(whole))).stream()
        .filter(this::isBehind)
        .forEach(cells::add);
    if (end.isPresent()) {
      from = end.get();
    } else if (++range < predicate.rows().size()) {
      from = predicate.rows().get(range).from();
    } else {
      read = true;
    }
  }

  private List<Partition.Half> halves(RowRange wanted) {
    if (partition.split().isEmpty()) {
      return List.of();
    }
    Partition.Split split = partition.split().get();
    List<Partition.Half> halves = new ArrayList<>();
    if (wanted.from().compareTo(split.at()) <= 0) {
      halves.add(split.lower());
    }
    if (wanted.to() == null || wanted.to().compareTo(split.at().successor()) > 0) {
      halves.add(split.upper());
    }
    return halves;
  }

  private List<Gathering.Answer<Gathering.Stored>> majority(
      String id, List<Assignment> members, RowRange wanted) {
    List<Gathering.Answer<Gathering.Stored>> answers =
        gathering.stored(known.config().id(), id, members, wanted, STORED_BYTES).stream()
            .filter(each -> each.value().isPresent())
            .toList();
    long newest =
        answers.stream().mapToLong(each -> each.value().orElseThrow().metadata()).max().orElse(0);
    if (newest > known.metadata().sequence()) {
      machinery.cache().atLeast(known.config().id(), newest);
      throw new Outdated("METADATA " + newest + " of table " + known.config().name());
    }
    int needed = Acks.MAJORITY.of(members.size());
    if (answers.size() < needed) {
      throw new UnavailableException(
          answers.size()
              + " of the "
              + members.size()
              + " replicas of partition "
              + id
              + " of table \""
              + known.config().name()
              + "\" answered: a majority is "
              + needed);
    }
    return answers;
  }

  /** Sends members what they lack; nobody waits for it. */
  private void mend(List<Gathering.Answer<Gathering.Stored>> answers, MergedCells merged) {
    List<List<Cell>> missing = merged.missing();
    for (int i = 0; i < answers.size(); i++) {
      List<Cell> lacking = missing.get(i);
      if (!lacking.isEmpty()) {
        Bytes packed = MergedCells.pack(lacking);
        Optional<ReplicaPeer> peer = machinery.peer(answers.get(i).from().server());
        if (peer.isPresent()) {
          var _ = peer.get().repair(known.config().id(), partition.id(), packed);
        }
      }
    }
  }

  private boolean isBehind(Cell cell) {
    if (after.isEmpty()) {
      return true;
    }
    Position position = after.get();
    int byRow = cell.row().compareTo(position.row());
    int byFamily = cell.family().compareTo(position.family());
    int byQualifier = cell.qualifier().compareTo(position.qualifier());
    if (byRow != 0 || byFamily != 0 || byQualifier != 0) {
      return byRow != 0 ? byRow > 0 : byFamily != 0 ? byFamily > 0 : byQualifier > 0;
    }
    return cell.timestamp() < position.timestamp();
  }

  @Override
  public void close() {}
}
