package io.stele.gateway.bigtable.read;

import com.google.bigtable.v2.SampleRowKeysRequest;
import com.google.bigtable.v2.SampleRowKeysResponse;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.RowSample;
import java.util.ArrayList;
import java.util.List;

/** Rows that part a table, or a range of it, into pieces of about equal size. */
public final class RowKeySamples {
  private RowKeySamples() {}

  /**
   * The samples that a request wants.
   *
   * @param samples of the whole table; the last is its end
   */
  public static List<SampleRowKeysResponse> of(
      List<RowSample> samples, SampleRowKeysRequest request) {
    RowRange range = RowSets.range(request.getRowRange());
    List<SampleRowKeysResponse> answers = new ArrayList<>();
    long offset = 0;
    for (RowSample sample : samples) {
      offset = sample.offset();
      boolean isEnd = sample.row().isEmpty();
      if (isEnd ? range.to() == null : range.contains(sample.row())) {
        answers.add(answer(sample.row(), offset));
      } else if (isBehind(range, sample.row())) {
        break;
      }
    }
    if (request.hasRowRange() && range.to() != null) {
      answers.add(answer(range.to(), offset)); // the range's own end is always the last
    }
    return answers;
  }

  private static boolean isBehind(RowRange range, Bytes row) {
    return range.to() != null && (row.isEmpty() || row.compareTo(range.to()) >= 0);
  }

  private static SampleRowKeysResponse answer(Bytes row, long offset) {
    return SampleRowKeysResponse.newBuilder()
        .setRowKey(UnsafeByteOperations.unsafeWrap(row.sharedArray()))
        .setOffsetBytes(offset)
        .build();
  }
}
