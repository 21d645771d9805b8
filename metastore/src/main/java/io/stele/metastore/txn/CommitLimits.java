package io.stele.metastore.txn;

import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.command.Operation;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;

/** What a commit may ask for, and where it writes. */
final class CommitLimits {
  private CommitLimits() {}

  static void check(TransactionSettings settings, String id, List<Operation> writes) {
    if (writes.size() > settings.writes()) {
      throw new InvalidRequestException(
          "transaction "
              + id
              + " commits "
              + writes.size()
              + " writes: there may be "
              + settings.writes());
    }
    long bytes = writes.stream().mapToLong(CommitLimits::size).sum();
    if (bytes > settings.bytes().bytes()) {
      throw new InvalidRequestException(
          "transaction "
              + id
              + " commits "
              + bytes
              + " bytes of keys and values: there may be "
              + settings.bytes());
    }
  }

  /** The ranges that are written. */
  static List<KeyRange> ranges(List<Operation> writes) {
    List<KeyRange> ranges = new ArrayList<>();
    addRanges(writes, ranges);
    return List.copyOf(ranges);
  }

  private static void addRanges(List<Operation> writes, List<KeyRange> ranges) {
    for (Operation write : writes) {
      switch (write) {
        case Operation.Put put -> ranges.add(KeyRange.of(put.key()));
        case Operation.Assign assign -> ranges.add(KeyRange.of(assign.key()));
        case Operation.Delete delete -> ranges.add(delete.range());
        case Operation.Get _, Operation.Select _ -> {}
        case Operation.Branch branch -> {
          addRanges(branch.then(), ranges);
          addRanges(branch.otherwise(), ranges);
        }
      }
    }
  }

  private static long size(Operation write) {
    return switch (write) {
      case Operation.Put put -> (long) put.key().length() + put.value().length();
      case Operation.Delete delete -> size(delete.range());
      case Operation.Get get -> size(get.range());
      case Operation.Assign assign -> (long) assign.key().length() + assign.value().length();
      case Operation.Select select -> size(select.selection().range());
      case Operation.Branch branch ->
          branch.then().stream().mapToLong(CommitLimits::size).sum()
              + branch.otherwise().stream().mapToLong(CommitLimits::size).sum();
    };
  }

  private static long size(KeyRange range) {
    return (long) range.from().length() + (range.to() == null ? 0 : range.to().length());
  }
}
