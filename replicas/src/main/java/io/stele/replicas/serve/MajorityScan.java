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
 * <p>All are asked and the first that are enough are waited for: one that is slow or stopped holds
 * up nobody. While a server joins, a majority of the members to be is needed too.
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
    Read whole =
        majority(partition.id(), partition.assignmentsThatCount(), partition.quorums(), wanted);
    List<StoredCells> all = new ArrayList<>(whole.cells());
    for (Partition.Half half : halves(wanted)) {
      all.addAll(majority(half.id(), half.members(), List.of(half.members()), wanted).cells());
    }
    Optional<Bytes> end = Gathering.commonEnd(all);
    RowRange rows = new RowRange(wanted.from(), end.orElse(wanted.to()));
    MergedCells merged = merge(all, rows);
    mend(whole.answers, merged);
    whole.asked.whenLate(whole.answers, late -> mendLate(all, late, rows));
    merged.visible(predicate.withRows(List.of(rows))).stream()
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

  private MergedCells merge(List<StoredCells> all, RowRange rows) {
    MergedCells merged = new MergedCells(known.config().schema(), machinery.clock());
    all.forEach(each -> merged.add(each.cells(), rows));
    return merged;
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

  /** Those that were asked, and what the first of them answered, who are enough. */
  private record Read(
      Gathering.Asked<ReplicaPeer.Stored> asked,
      List<Gathering.Answer<ReplicaPeer.Stored>> answers) {
    List<StoredCells> cells() {
      return answers.stream().map(each -> each.value().orElseThrow().cells()).toList();
    }
  }

  private Read majority(
      String id, List<Assignment> replicas, List<List<Assignment>> quorums, RowRange wanted) {
    ReadPredicate there = predicate.withRows(List.of(wanted));
    Gathering.Asked<ReplicaPeer.Stored> asked =
        gathering.begin(
            replicas, peer -> peer.stored(known.config().id(), id, there, STORED_BYTES));
    List<Gathering.Answer<ReplicaPeer.Stored>> answers =
        asked.first(answered -> lacking(quorums, answered).isEmpty());
    answers.forEach(each -> machinery.time().learn(each.value().orElseThrow().clock()));
    long newest =
        answers.stream().mapToLong(each -> each.value().orElseThrow().metadata()).max().orElse(0);
    if (newest > known.metadata().sequence()) {
      machinery.cache().atLeast(known.config().id(), newest);
      throw new Outdated("METADATA " + newest + " of table " + known.config().name());
    }
    List<Assignment> answered = answers.stream().map(Gathering.Answer::from).toList();
    Optional<List<Assignment>> lacking = lacking(quorums, answered);
    if (lacking.isPresent()) {
      List<Assignment> members = lacking.get();
      throw new UnavailableException(
          members.stream().filter(answered::contains).count()
              + " of the "
              + members.size()
              + " replicas of partition "
              + id
              + " of table \""
              + known.config().name()
              + "\" answered: a majority is "
              + Acks.MAJORITY.of(members.size()));
    }
    return new Read(asked, answers);
  }

  /** A set of which no majority has answered. */
  private static Optional<List<Assignment>> lacking(
      List<List<Assignment>> quorums, List<Assignment> answered) {
    return quorums.stream()
        .filter(
            set -> set.stream().filter(answered::contains).count() < Acks.MAJORITY.of(set.size()))
        .findFirst();
  }

  /** Sends replicas what they lack; nobody waits for it. */
  private void mend(List<Gathering.Answer<ReplicaPeer.Stored>> answers, MergedCells merged) {
    List<List<Cell>> missing = merged.missing();
    for (int i = 0; i < answers.size(); i++) {
      mend(answers.get(i).from(), missing.get(i));
    }
  }

  private void mend(Assignment replica, List<Cell> lacking) {
    if (!lacking.isEmpty()) {
      Bytes packed = MergedCells.pack(lacking);
      Optional<ReplicaPeer> peer = machinery.peer(replica.server());
      if (peer.isPresent()) {
        var _ = peer.get().repair(known.config().id(), partition.id(), packed);
      }
    }
  }

  /** Sends one that answered late what it lacks of what the first ones have. */
  private void mendLate(
      List<StoredCells> first, Gathering.Answer<ReplicaPeer.Stored> late, RowRange rows) {
    StoredCells cells = late.value().orElseThrow().cells();
    boolean whole =
        cells.end().isEmpty() || (rows.to() != null && cells.end().get().compareTo(rows.to()) >= 0);
    if (whole) { // else it would seem to lack what it did not send
      List<StoredCells> all = new ArrayList<>(first);
      all.add(cells);
      mend(late.from(), merge(all, rows).missing().getLast());
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
