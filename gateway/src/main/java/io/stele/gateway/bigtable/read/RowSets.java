package io.stele.gateway.bigtable.read;

import com.google.bigtable.v2.RowSet;
import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sets of rows as messages have them. */
public final class RowSets {
  private RowSets() {}

  /** The ranges of a set: all rows if it says nothing, and none only if all of it is empty. */
  public static List<RowRange> ranges(RowSet set) {
    if (set.getRowKeysCount() == 0 && set.getRowRangesCount() == 0) {
      return List.of(RowRange.ALL);
    }
    List<RowRange> ranges = new ArrayList<>(set.getRowKeysCount() + set.getRowRangesCount());
    for (ByteString key : set.getRowKeysList()) {
      if (key.isEmpty()) {
        throw new InvalidRequestException("an empty row key in row_keys: no row has it");
      }
      ranges.add(RowRange.row(bytes(key)));
    }
    for (com.google.bigtable.v2.RowRange range : set.getRowRangesList()) {
      RowRange wanted = range(range);
      if (!wanted.from().equals(wanted.to())) {
        ranges.add(wanted);
      }
    }
    return ranges;
  }

  /** One range; an empty end is none, as if it was not set. */
  public static RowRange range(com.google.bigtable.v2.RowRange range) {
    Bytes from =
        switch (range.getStartKeyCase()) {
          case START_KEY_CLOSED -> bytes(range.getStartKeyClosed());
          case START_KEY_OPEN -> bytes(range.getStartKeyOpen()).successor();
          case STARTKEY_NOT_SET -> Bytes.EMPTY;
        };
    @Nullable Bytes to =
        switch (range.getEndKeyCase()) {
          case END_KEY_CLOSED ->
              range.getEndKeyClosed().isEmpty() ? null : bytes(range.getEndKeyClosed()).successor();
          case END_KEY_OPEN ->
              range.getEndKeyOpen().isEmpty() ? null : bytes(range.getEndKeyOpen());
          case ENDKEY_NOT_SET -> null;
        };
    if (to != null && from.compareTo(to) > 0 && !isOpenAtOneKey(range)) {
      throw new InvalidRequestException(
          "a row range from \"" + from + "\" to \"" + to + "\": must not end before it begins");
    }
    return to != null && from.compareTo(to) > 0 ? new RowRange(to, to) : new RowRange(from, to);
  }

  /** {@code (k, k)} has no rows, and yet is not upside down. */
  private static boolean isOpenAtOneKey(com.google.bigtable.v2.RowRange range) {
    return range.hasStartKeyOpen()
        && range.hasEndKeyOpen()
        && range.getStartKeyOpen().equals(range.getEndKeyOpen());
  }

  public static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }
}
