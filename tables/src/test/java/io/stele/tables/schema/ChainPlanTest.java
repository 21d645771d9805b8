package io.stele.tables.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.tables.meta.FragmentRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChainPlanTest {
  private static final TableSchema AB_CD = schema("X:a b", "Y:c d");
  private static final TableSchema ABC_D = schema("X:a b c", "Y:d");
  private static final TableSchema A_BCD = schema("X:a", "Y:b c d");

  /** "X:4 Y:4,3 <-- broken: 3[c] comes after 4[c]" */
  @Test
  void theColumnShiftOfTheSeedKeepsTheNewestValue() {
    TabletModel tablet = new TabletModel(AB_CD);
    insert(tablet, "1", "a", "c");
    insert(tablet, "2", "a", "b");
    insert(tablet, "3", "c", "d");
    assertThat(text(tablet)).isEqualTo("X: 1[a] 2  Y: 1[c] 3");
    tablet.alter(ABC_D);
    assertThat(text(tablet)).isEqualTo("X: 1 2 3[c]  Y: 3[d]");
    tablet.compact("X", 0, 3);
    assertThat(text(tablet)).isEqualTo("X: f3  Y: 3[d]");
    tablet.put(1, "c"); // newer than 3, and compacted into a file that is
    tablet.flush("X");
    tablet.compact("X", 0, 2);
    tablet.alter(A_BCD);
    assertThat(text(tablet)).isEqualTo("X: f5[a]  Y: 3[d] f5[b c]");
    tablet.check("after the column has moved twice");
  }

  /** "X:5 Y:3,5 <-- broken: 3[c] is back" */
  @Test
  void theErasureOfTheSeedStaysErased() {
    TabletModel tablet = new TabletModel(AB_CD);
    insert(tablet, "1", "a", "c");
    insert(tablet, "2", "a", "b");
    insert(tablet, "3", "c", "d");
    tablet.eraseFamily(1, "c");
    tablet.flushTogether("4");
    assertThat(text(tablet)).isEqualTo("X: 1[a] 2  Y: 1[c] 3 4");
    tablet.alter(ABC_D);
    assertThat(text(tablet)).isEqualTo("X: 1 2 3[c] 4  Y: 3[d]");
    tablet.compact("X", 0, 4);
    tablet.alter(A_BCD);
    assertThat(text(tablet)).isEqualTo("X: f4[a]  Y: f4[b] 3[d]");
    tablet.check("after the erasure is gone with what it erased");
  }

  /** A row erasure in a file without cells of a family must still count where the family goes. */
  @Test
  void aRowErasureFollowsTheCellsThatItHides() {
    TabletModel tablet = new TabletModel(schema("X:a b"));
    insert(tablet, "1", "b");
    tablet.eraseRow(1);
    tablet.put(1, "a");
    tablet.flushTogether("2");
    tablet.alter(schema("X:a", "Y:b"));
    assertThat(text(tablet)).isEqualTo("X: 2  Y: 1 2[]");
    tablet.check("after the groups were parted");
    tablet.compact("Y", 0, 2);
    assertThat(text(tablet)).isEqualTo("X: 2  Y:");
    tablet.alter(schema("X:a b"));
    tablet.check("after they were united again");
  }

  /** "When removing columns from a schema, servers will stop serving the columns". */
  @Test
  void aFamilyThatWasDroppedDoesNotComeBack() {
    TabletModel tablet = new TabletModel(schema("X:a b"));
    insert(tablet, "1", "a", "b");
    insert(tablet, "2", "b");
    tablet.alter(schema("X:a"));
    assertThat(text(tablet)).isEqualTo("X: 1[a]");
    tablet.alter(schema("X:a b"));
    assertThat(text(tablet)).isEqualTo("X: 1[a]");
    tablet.check("after the family was added again");
  }

  /** "it may be shared between groups A and B under the new schema" */
  @Test
  void aFragmentIsSharedBetweenTheGroupsThatItsFamiliesWentTo() {
    TabletModel tablet = new TabletModel(schema("A:X Y", "B:Z", "rest:*"));
    insert(tablet, "1", "X", "Y");
    insert(tablet, "2", "Z");
    insert(tablet, "3", "V", "W");
    tablet.alter(schema("A:X", "B:Y W", "rest:*"));
    assertThat(text(tablet)).isEqualTo("A: 1[X]  B: 1[Y] 3[W]  rest: 2 3[V]");
    tablet.check("after the change");
  }

  /**
   * Merging family by family would let group X begin with p and i; were i and j then compacted to
   * one file, p would come before it, it before s, and s, by family c, before p.
   */
  @Test
  void groupsKeepTheOrderOfTheChainThatTheyCameFrom() {
    Map<String, String> files = Map.of("j", "b", "s", "b c", "p", "a c", "i", "a");
    Map<String, Long> txns = Map.of("j", 9L, "s", 8L, "p", 2L, "i", 1L);
    SortedMap<String, List<FragmentRef>> saved = chains("Z:j s p i");
    SortedMap<String, List<FragmentRef>> planned =
        ChainPlan.plan(
            "tablet",
            schema("X:a b", "Y:c"),
            saved,
            path ->
                new ChainPlan.Contents(
                    families(files.getOrDefault(path.value(), "")),
                    false,
                    txns.getOrDefault(path.value(), 0L)));
    assertThat(text(planned)).isEqualTo("X: j s[b] p[a] i  Y: s[c] p[c]");
  }

  /** A crash between saving the schema and the tablet: the log is replayed under the new schema. */
  @Test
  void replayedFragmentsComeBehindOlderOnesOfAnotherGroup() {
    Map<String, Long> txns = Map.of("z1", 10L, "z2", 20L, "a3", 30L, "b3", 31L);
    SortedMap<String, List<FragmentRef>> planned =
        ChainPlan.plan(
            "tablet",
            schema("X:a", "Y:b"),
            chains("X:z1 z2 a3", "Y:b3"),
            path ->
                new ChainPlan.Contents(
                    families(path.value().startsWith("z") ? "a b" : path.value().substring(0, 1)),
                    false,
                    txns.getOrDefault(path.value(), 0L)));
    assertThat(text(planned)).isEqualTo("X: z1[a] z2[a] a3  Y: z1[b] z2[b] b3");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void readersSeeTheSameWhateverIsFlushedCompactedAndMoved(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    TabletModel tablet = new TabletModel(randomSchema(random));
    for (int step = 0; step < 600; step++) {
      step(tablet, random);
      tablet.check("seed " + seed + ", step " + step);
    }
  }

  private static void step(TabletModel tablet, RandomGenerator random) {
    int row = random.nextInt(2);
    String family = String.valueOf("abcde".charAt(random.nextInt(5)));
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> tablet.put(row, family);
      case 6, 7 -> tablet.eraseFamily(row, family);
      case 8 -> tablet.eraseRow(row);
      case 9, 10, 11, 12 ->
          tablet.flush(
              tablet.schema().groups().get(random.nextInt(tablet.schema().groups().size())).name());
      case 13, 14, 15, 16 -> compact(tablet, random);
      case 17 -> tablet.reload();
      default -> tablet.alter(randomSchema(random));
    }
  }

  private static void compact(TabletModel tablet, RandomGenerator random) {
    List<String> groups = new ArrayList<>(tablet.chains().keySet());
    groups.removeIf(group -> tablet.chain(group).isEmpty());
    if (!groups.isEmpty()) {
      String group = groups.get(random.nextInt(groups.size()));
      int size = tablet.chain(group).size();
      int from = random.nextInt(size);
      tablet.compact(group, from, from + 1 + random.nextInt(size - from));
    }
  }

  @Test
  void chainsThatContradictEachOtherAreDamage() {
    assertThatThrownBy(() -> plan(chains("X:1[a] 2[a]", "Y:2[b] 1[b]"), "a b"))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("tablet")
        .hasMessageContaining("[1, 2]");
  }

  @Test
  void aFamilyOfAFileThatCountsInTwoGroupsIsDamage() {
    assertThatThrownBy(() -> plan(chains("X:1", "Y:1[b]"), "a b"))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("family \"b\" of file 1 in one group")
        .hasMessageContaining("group \"Y\"");
  }

  private static void plan(SortedMap<String, List<FragmentRef>> saved, String families) {
    ChainPlan.plan(
        "tablet",
        schema("X:a", "Y:b"),
        saved,
        path -> new ChainPlan.Contents(families(families), false, 0));
  }

  /** Every family in a row of its own file. */
  private static void insert(TabletModel tablet, String file, String... families) {
    for (String family : families) {
      tablet.put(1, family);
    }
    tablet.flushTogether(file);
  }

  private static TableSchema randomSchema(RandomGenerator random) {
    Map<String, List<String>> groups = new HashMap<>();
    for (String family : List.of("a", "b", "c", "d", "e")) {
      int group = random.nextInt(4);
      if (group < 3) {
        groups.computeIfAbsent("g" + group, any -> new ArrayList<>()).add(family);
      }
    }
    List<GroupSchema> schemas = new ArrayList<>();
    groups.forEach((name, families) -> schemas.add(GroupSchema.of(name, families)));
    if (schemas.isEmpty() || random.nextInt(3) > 0) {
      schemas.add(GroupSchema.of("g9", "*"));
    }
    return new TableSchema(schemas);
  }

  static TableSchema schema(String... groups) {
    List<GroupSchema> schemas = new ArrayList<>();
    for (String group : groups) {
      int mark = group.indexOf(':');
      schemas.add(
          GroupSchema.of(
              group.substring(0, mark), Arrays.asList(group.substring(mark + 1).split(" ", -1))));
    }
    return new TableSchema(schemas);
  }

  /** {@code X:1 2[a b]}: file 1, then file 2 of which only a and b count; no space in brackets. */
  static SortedMap<String, List<FragmentRef>> chains(String... groups) {
    SortedMap<String, List<FragmentRef>> chains = new TreeMap<>();
    for (String group : groups) {
      int mark = group.indexOf(':');
      List<FragmentRef> chain = new ArrayList<>();
      for (String file : group.substring(mark + 1).split(" ", -1)) {
        int bracket = file.indexOf('[');
        chain.add(
            bracket < 0
                ? FragmentRef.whole(FilePath.of(file))
                : FragmentRef.restricted(
                    FilePath.of(file.substring(0, bracket)),
                    families(file.substring(bracket + 1, file.length() - 1).replace(',', ' '))));
      }
      chains.put(group.substring(0, mark), chain);
    }
    return chains;
  }

  private static Set<Bytes> families(String names) {
    return Arrays.stream(names.split(" ", -1)).map(Bytes::utf8).collect(Collectors.toSet());
  }

  private static String text(TabletModel tablet) {
    return text(tablet.chains());
  }

  private static String text(SortedMap<String, List<FragmentRef>> chains) {
    return chains.entrySet().stream()
        .map(
            entry ->
                entry.getKey()
                    + ":"
                    + entry.getValue().stream()
                        .map(
                            fragment ->
                                " "
                                    + fragment.path()
                                    + fragment
                                        .families()
                                        .map(
                                            only ->
                                                only.stream()
                                                    .sorted()
                                                    .map(Bytes::toString)
                                                    .collect(Collectors.joining(" ", "[", "]")))
                                        .orElse(""))
                        .collect(Collectors.joining()))
        .collect(Collectors.joining("  "));
  }
}
