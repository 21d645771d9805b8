package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.RowFilter.FilterCase;
import com.google.bigtable.v2.RowSet;
import com.google.bigtable.v2.TimestampRange;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.Status;
import io.stele.gateway.bigtable.data.RowAssembler.ReadCell;
import io.stele.gateway.bigtable.filter.NaiveFilter;
import io.stele.gateway.bigtable.filter.RandomFilters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters over rows in memory and in files, against what a naive evaluation says. */
class FiltersTest {
  private static DataFixture fixture;
  private static final Map<String, List<ReadCell>> MODEL = new TreeMap<>();

  @BeforeAll
  static void fill() {
    fixture = new DataFixture("a", "b", "c");
    Random random = new Random(1);
    RandomFilters values = new RandomFilters(random, Set.of());
    for (int row = 0; row < 8; row++) {
      String key = "row" + row;
      List<ReadCell> cells = new ArrayList<>();
      List<Mutation> mutations = new ArrayList<>();
      for (String family : List.of("a", "b", "c")) {
        for (String qualifier : List.of("", "x", "xy", "y")) {
          for (int version = random.nextInt(4); version > 0; version--) {
            ByteString value = values.value();
            mutations.add(set(family, qualifier, version * 1000L, value));
            cells.add(
                new ReadCell(
                    utf8(key), family, utf8(qualifier), version * 1000L, value, List.of()));
          }
        }
      }
      fixture.mutate(key, mutations.toArray(Mutation[]::new));
      MODEL.put(key, cells);
      if (row == 4) {
        fixture.tables.flush("t");
      }
    }
  }

  @AfterAll
  static void close() {
    fixture.close();
    MODEL.clear();
  }

  private static List<ReadCell> naive(RowFilter filter) {
    List<ReadCell> all = new ArrayList<>();
    MODEL.values().forEach(row -> all.addAll(NaiveFilter.apply(filter, row)));
    return all;
  }

  @ParameterizedTest
  @EnumSource(
      value = FilterCase.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"CHAIN", "INTERLEAVE", "CONDITION", "ROW_SAMPLE_FILTER", "FILTER_NOT_SET"})
  void eachFilterAlone(FilterCase kind) {
    RandomFilters filters = new RandomFilters(new Random(kind.ordinal()), Set.of());
    boolean passed = false;
    for (int i = 0; i < 20; i++) {
      RowFilter filter = filters.leaf(kind);
      List<ReadCell> wanted = naive(filter);
      assertThat(fixture.read(filter.toBuilder())).as("%s", filter).isEqualTo(wanted);
      passed |= !wanted.isEmpty();
    }
    assertThat(passed).as("some cells pass").isEqualTo(kind != FilterCase.BLOCK_ALL_FILTER);
  }

  @Test
  void randomTrees() {
    int nonEmpty = 0;
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      RowFilter filter = new RandomFilters(random, Set.of()).tree(2 + random.nextInt(4));
      List<ReadCell> wanted = naive(filter);
      assertThat(CellTexts.of(fixture.read(filter.toBuilder())))
          .as("seed %s: %s", seed, filter)
          .isEqualTo(CellTexts.of(wanted));
      nonEmpty += wanted.isEmpty() ? 0 : 1;
    }
    assertThat(nonEmpty).isGreaterThan(200);
  }

  /** What a read takes over of a chain must be what all of the chain leaves anyway. */
  @Test
  void randomChainsOfWhatAReadTakesOver() {
    List<FilterCase> kinds =
        List.of(
            FilterCase.FAMILY_NAME_REGEX_FILTER,
            FilterCase.COLUMN_QUALIFIER_REGEX_FILTER,
            FilterCase.COLUMN_RANGE_FILTER,
            FilterCase.TIMESTAMP_RANGE_FILTER,
            FilterCase.CELLS_PER_COLUMN_LIMIT_FILTER,
            FilterCase.CELLS_PER_ROW_LIMIT_FILTER,
            FilterCase.VALUE_REGEX_FILTER);
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      RandomFilters filters = new RandomFilters(random, Set.of());
      RowFilter.Chain.Builder chain = RowFilter.Chain.newBuilder();
      for (int i = 2 + random.nextInt(2); i > 0; i--) {
        chain.addFilters(filters.leaf(kinds.get(random.nextInt(kinds.size()))));
      }
      RowFilter filter = RowFilter.newBuilder().setChain(chain).build();
      assertThat(fixture.read(filter.toBuilder()))
          .as("seed %s: %s", seed, filter)
          .isEqualTo(naive(filter));
    }
  }

  @Test
  void aConditionalChangeAsksTheSameFilters() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      RowFilter filter = new RandomFilters(random, Set.of()).tree(1 + random.nextInt(4));
      String row = "row" + random.nextInt(9); // the last one is not there
      boolean wanted = !NaiveFilter.apply(filter, MODEL.getOrDefault(row, List.of())).isEmpty();
      boolean met =
          fixture
              .stub
              .checkAndMutateRow(
                  CheckAndMutateRowRequest.newBuilder()
                      .setTableName(DataFixture.TABLE)
                      .setRowKey(utf8(row))
                      .setPredicateFilter(filter)
                      .addTrueMutations(
                          Mutation.newBuilder()
                              .setDeleteFromColumn(
                                  Mutation.DeleteFromColumn.newBuilder()
                                      .setFamilyName("a")
                                      .setColumnQualifier(utf8("none"))))
                      .build())
              .getPredicateMatched();
      assertThat(met).as("seed %s, %s: %s", seed, row, filter).isEqualTo(wanted);
    }
  }

  @Test
  void aSampleTakesWholeRowsAndAboutItsShare() {
    int rows = 0;
    for (int i = 0; i < 100; i++) {
      List<ReadCell> cells = fixture.read(RowFilter.newBuilder().setRowSampleFilter(0.25));
      Set<ByteString> keys = new java.util.LinkedHashSet<>();
      cells.forEach(cell -> keys.add(cell.row()));
      List<ReadCell> whole = new ArrayList<>();
      keys.forEach(
          key ->
              whole.addAll(
                  NaiveFilter.apply(
                      RowFilter.getDefaultInstance(), MODEL.get(key.toStringUtf8()))));
      assertThat(cells).isEqualTo(whole);
      rows += keys.size();
    }
    assertThat(rows).isBetween(130, 270); // of 800
  }

  @Test
  void rowsThatAFilterLeavesNothingOfDoNotCount() {
    RowFilter.Builder fromFive = RowFilter.newBuilder().setRowKeyRegexFilter(utf8(".*[5-7]"));
    List<ReadCell> cells = fixture.read(query().setFilter(fromFive).setRowsLimit(2));
    assertThat(cells.stream().map(cell -> cell.row().toStringUtf8()).distinct())
        .containsExactly("row5", "row6");
    List<ReadCell> backwards =
        fixture.read(query().setFilter(fromFive).setRowsLimit(2).setReversed(true));
    assertThat(backwards.stream().map(cell -> cell.row().toStringUtf8()).distinct())
        .containsExactly("row7", "row6");
  }

  @Test
  void aFilterAndASetOfRowsMeet() {
    List<ReadCell> cells =
        fixture.read(
            query()
                .setRows(RowSet.newBuilder().addRowKeys(utf8("row1")).addRowKeys(utf8("row6")))
                .setFilter(RowFilter.newBuilder().setRowKeyRegexFilter(utf8("row[2-7]"))));
    assertThat(cells.stream().map(cell -> cell.row().toStringUtf8()).distinct())
        .containsExactly("row6");
  }

  // ---- what is no filter

  private static void refused(RowFilter.Builder filter, String... words) {
    assertThatThrownBy(() -> fixture.read(filter))
        .satisfies(
            e ->
                assertThat(Status.fromThrowable(e).getCode())
                    .isEqualTo(Status.Code.INVALID_ARGUMENT))
        .hasMessageContainingAll(words);
  }

  private static RowFilter.Builder chain(RowFilter.Builder... parts) {
    RowFilter.Chain.Builder chain = RowFilter.Chain.newBuilder();
    for (RowFilter.Builder part : parts) {
      chain.addFilters(part);
    }
    return RowFilter.newBuilder().setChain(chain);
  }

  private static RowFilter.Builder pass() {
    return RowFilter.newBuilder().setPassAllFilter(true);
  }

  @Test
  void whatIsNoFilterIsRefused() {
    refused(RowFilter.newBuilder().setPassAllFilter(false), "pass_all_filter");
    refused(RowFilter.newBuilder().setBlockAllFilter(false), "block_all_filter");
    refused(RowFilter.newBuilder().setSink(false), "sink");
    refused(RowFilter.newBuilder().setStripValueTransformer(false), "strip_value_transformer");
    refused(chain(pass()), "Chain of 1");
    refused(
        RowFilter.newBuilder().setInterleave(RowFilter.Interleave.newBuilder().addFilters(pass())),
        "Interleave of 1");
    refused(RowFilter.newBuilder().setRowSampleFilter(1), "row_sample_filter");
    refused(RowFilter.newBuilder().setRowSampleFilter(Double.NaN), "row_sample_filter");
    refused(RowFilter.newBuilder().setCellsPerRowLimitFilter(0), "cells_per_row_limit_filter");
    refused(RowFilter.newBuilder().setCellsPerRowOffsetFilter(-1), "cells_per_row_offset_filter");
    refused(
        RowFilter.newBuilder().setCellsPerColumnLimitFilter(-3), "cells_per_column_limit_filter");
    refused(RowFilter.newBuilder().setValueRegexFilter(utf8("[")), "value_regex_filter");
    refused(RowFilter.newBuilder().setFamilyNameRegexFilter("a:b"), "colon");
    refused(
        RowFilter.newBuilder()
            .setTimestampRangeFilter(TimestampRange.newBuilder().setStartTimestampMicros(1500)),
        "timestamp_range_filter",
        "milliseconds");
    refused(RowFilter.newBuilder().setApplyLabelTransformer("Not this"), "Not this");
    refused(RowFilter.newBuilder().setApplyLabelTransformer("a-much-too-long-one"), "15");
    RowFilter.Builder label = RowFilter.newBuilder().setApplyLabelTransformer("one");
    refused(chain(label, chain(pass(), label)), "label");
    refused(
        RowFilter.newBuilder()
            .setCondition(
                RowFilter.Condition.newBuilder()
                    .setPredicateFilter(pass())
                    .setTrueFilter(chain(pass(), RowFilter.newBuilder().setSink(true)))),
        "sink");
  }

  @Test
  void aFilterTooLargeOrTooDeepIsRefused() {
    refused(RowFilter.newBuilder().setValueRegexFilter(utf8("x".repeat(20_480))), "20480");
    RowFilter.Builder deep = pass();
    for (int i = 0; i < 19; i++) {
      deep = chain(pass(), deep);
    }
    assertThat(fixture.read(deep)).isNotEmpty();
    refused(chain(pass(), deep), "deeper than 20");
  }

  @Test
  void aFilterOfAKindThatIsNotKnownIsRefusedRatherThanPassed() {
    refused(
        RowFilter.newBuilder()
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                    .build()),
        "99");
  }
}
