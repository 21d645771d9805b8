package io.stele.tables.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.CachePriority;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class FamilyMapTest {
  @Test
  void itAnswersAsTheSchemaDoes() {
    RandomGenerator random = RandomSource.seeded(1);
    for (int round = 0; round < 200; round++) {
      List<GroupSchema> groups = new ArrayList<>();
      int count = 1 + random.nextInt(4);
      for (int g = 0; g < count; g++) {
        List<String> families = new ArrayList<>();
        for (int f = random.nextInt(12); f >= 0; f--) {
          families.add("f" + g + "x".repeat(random.nextInt(3)) + f);
        }
        groups.add(GroupSchema.of("g" + g, families));
      }
      if (random.nextBoolean()) {
        groups.add(GroupSchema.of("g9", "*"));
      }
      TableSchema schema = new TableSchema(groups);
      FamilyMap map = new FamilyMap(schema);
      for (int i = 0; i < 200; i++) {
        String family =
            "f" + random.nextInt(5) + "x".repeat(random.nextInt(3)) + random.nextInt(14);
        int expected = schema.groupOf(family).map(map.groups()::indexOf).orElse(FamilyMap.UNKNOWN);
        byte[] padded = Bytes.utf8("<" + family + ">").toArray();
        assertThat(map.groupOf(padded, 1, padded.length - 2)).isEqualTo(expected);
        assertThat(map.groupOf(Bytes.utf8(family))).isEqualTo(expected);
      }
    }
  }

  /** "There can be at most one wildcard group in a schema, but there can be zero." */
  @Test
  void withoutAWildcardOtherFamiliesAreUnknown() {
    assertThat(new FamilyMap(TableSchema.ofFamilies("a")).groupOf(Bytes.utf8("b")))
        .isEqualTo(FamilyMap.UNKNOWN);
    assertThat(new FamilyMap(TableSchema.ofFamilies("*")).groupOf(Bytes.utf8("b"))).isZero();
  }

  /** "Cache priority is as follows: 1) All fragment columns in the same in-memory group ..." */
  @Test
  void aFragmentIsCachedByWhichOfItsFamiliesAreInMemory() {
    FamilyMap map =
        new FamilyMap(
            TableSchema.of(
                GroupSchema.of("A", "a", "b").withInMemory(true),
                GroupSchema.of("B", "c"),
                GroupSchema.of("rest", "*").withInMemory(true)));
    assertThat(priority(map, "a", "b")).isEqualTo(CachePriority.ONE_GROUP);
    assertThat(priority(map, "x", "y")).isEqualTo(CachePriority.ONE_GROUP);
    assertThat(priority(map, "a", "x")).isEqualTo(CachePriority.SEVERAL_GROUPS);
    assertThat(priority(map, "a", "c")).isEqualTo(CachePriority.SOME_FAMILIES);
    assertThat(priority(map, "c")).isEqualTo(CachePriority.ON_DEMAND);
  }

  private static CachePriority priority(FamilyMap map, String... names) {
    Set<Bytes> families =
        Set.of(names).stream().map(Bytes::utf8).collect(java.util.stream.Collectors.toSet());
    return map.inMemory(families).priorityOf(families);
  }
}
