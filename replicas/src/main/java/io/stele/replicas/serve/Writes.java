package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency.Acks;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.partition.HistoryRule;
import io.stele.replicas.push.Duty;
import io.stele.replicas.push.LocalReplica;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The way of a change into a table, at a server that is a member of its partition:
 *
 * <pre>
 *   families known? one partition? a member here? enough members live?      no: an answer, nothing is changed
 *     ▼ yes
 *   times ──► replica here ──► senders to all others ──► acknowledged when as many have it as was asked for
 * </pre>
 */
final class Writes {
  private final Machinery machinery;
  private final Stamps stamps;

  Writes(Machinery machinery) {
    this.machinery = machinery;
    this.stamps = new Stamps(machinery.time());
  }

  /** Answers the sequence of the change in the replica here. */
  CompletableFuture<Long> apply(String table, CellBatch marked, Acks acks) {
    CellBatch cells = RequestMark.without(marked); // to apply cells twice changes nothing here
    MetadataCache.Known known = machinery.table(table);
    Bytes first;
    try {
      first = checkFamilies(known, cells);
    } catch (InvalidRequestException e) {
      known = machinery.newest(table); // perhaps it was altered a moment ago
      first = checkFamilies(known, cells);
    }
    HistoryRule.check(table, known.config().schema(), cells);
    Partition partition = known.metadata().partitionOf(first);
    checkOnePartition(table, partition, cells);
    LocalReplica replica = member(known, partition, first);
    checkLive(table, partition, acks);
    replica.readable(); // or it takes no changes either
    CellBatch timed = stamps.stamp(cells);
    long deadline = machinery.clock().nanos() + machinery.settings().writeTimeout().toNanos();
    return replica.write(timed, acks, deadline);
  }

  /** Checks the families; answers the first row. */
  private static Bytes checkFamilies(MetadataCache.Known known, CellBatch cells) {
    TableSchema schema = known.config().schema();
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    CellView checked = new CellView();
    boolean any = false;
    Bytes first = Bytes.EMPTY;
    while (reader.next()) {
      if (!any) {
        first = cell.row();
      }
      if (cell.kind != CellKind.ERASE_ROW && (!any || !checked.sameFamily(cell))) {
        if (schema.groupOf(cell.family()).isEmpty()) {
          throw new InvalidRequestException(
              "family \""
                  + cell.family()
                  + "\" of row \""
                  + cell.row()
                  + "\": table \""
                  + known.config().name()
                  + "\" has "
                  + describe(schema));
        }
        checked.pointTo(cell);
      }
      any = true;
    }
    return first;
  }

  private static String describe(TableSchema schema) {
    return schema.groups().stream()
        .map(GroupSchema::families)
        .flatMap(Collection::stream)
        .collect(Collectors.joining("\", \"", "only the families \"", "\""));
  }

  private static void checkOnePartition(String table, Partition partition, CellBatch cells) {
    Optional<Bytes> last = partition.last();
    if (last.isEmpty()) {
      return;
    }
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    while (reader.next()) {
      if (last.get().compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) < 0) {
        throw new InvalidRequestException(
            "rows \""
                + last.get()
                + "\" and before, and \""
                + cell.row()
                + "\", of table \""
                + table
                + "\" are in different partitions: a batch for a replicated table must be of one,"
                + " or be sent row by row");
      }
    }
  }

  /** The replica here that serves a partition. */
  LocalReplica member(MetadataCache.Known known, Partition partition, Bytes row) {
    return serving(partition)
        .or(() -> opened(known, partition))
        .orElseThrow(() -> notHere(known, partition, row));
  }

  private Optional<LocalReplica> serving(Partition partition) {
    return machinery
        .host()
        .replica(partition.id())
        .filter(each -> each.duty().role() == Duty.Role.SERVING);
  }

  /** One that is of this server, and is just being made or opened. */
  private Optional<LocalReplica> opened(MetadataCache.Known known, Partition partition) {
    if (partition.members().stream().noneMatch(each -> each.server().equals(machinery.id()))) {
      return Optional.empty();
    }
    machinery.followKnown(known.config().id());
    return serving(partition);
  }

  private NotServingException notHere(MetadataCache.Known known, Partition partition, Bytes row) {
    String hint =
        partition.members().stream()
            .filter(each -> !each.server().equals(machinery.id()))
            .flatMap(each -> machinery.address(each.server()).stream())
            .findFirst()
            .orElse(null);
    return new NotServingException(
        "no replica of table \""
            + known.config().name()
            + "\" with row \""
            + row
            + "\" is served by "
            + machinery.id(),
        hint);
  }

  private void checkLive(String table, Partition partition, Acks acks) {
    List<List<Assignment>> sets =
        acks == Acks.ONE ? List.of(partition.members()) : partition.quorums();
    sets.forEach(set -> checkLive(table, partition.id(), set, acks));
    if (partition.split().isPresent() && acks != Acks.ONE) {
      Partition.Split split = partition.split().get();
      checkLive(table, split.lower().id(), split.lower().members(), acks);
      checkLive(table, split.upper().id(), split.upper().members(), acks);
    }
  }

  private void checkLive(String table, String partition, List<Assignment> members, Acks acks) {
    int needed = acks.of(members.size());
    int live = 0;
    for (int i = 0; i < members.size(); i++) {
      if (machinery.isLive(members.get(i).server())) {
        live++;
      }
    }
    if (live < needed) {
      throw new UnavailableException(
          live
              + " of the "
              + members.size()
              + " replicas of partition "
              + partition
              + " of table \""
              + table
              + "\" are live: "
              + acks
              + " needs "
              + needed);
    }
  }
}
