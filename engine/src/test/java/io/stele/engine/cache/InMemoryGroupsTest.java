package io.stele.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The seed's list: "Cache priority is as follows". */
class InMemoryGroupsTest {
  private final InMemoryGroups groups =
      new InMemoryGroups(List.of(families("a b"), families("c d")));

  @Test
  void allFragmentColumnsInTheSameInMemoryGroup() {
    assertThat(groups.priorityOf(families("a"))).isEqualTo(CachePriority.ONE_GROUP);
    assertThat(groups.priorityOf(families("c d"))).isEqualTo(CachePriority.ONE_GROUP);
  }

  @Test
  void allFragmentColumnsInTwoOrMoreInMemoryGroups() {
    assertThat(groups.priorityOf(families("a c"))).isEqualTo(CachePriority.SEVERAL_GROUPS);
    assertThat(groups.priorityOf(families("a b c d"))).isEqualTo(CachePriority.SEVERAL_GROUPS);
  }

  @Test
  void someFragmentColumnsInAtLeastOneInMemoryGroup() {
    assertThat(groups.priorityOf(families("a x"))).isEqualTo(CachePriority.SOME_FAMILIES);
    assertThat(groups.priorityOf(families("a c x"))).isEqualTo(CachePriority.SOME_FAMILIES);
  }

  @Test
  void noFragmentColumnsInAnInMemoryGroup() {
    assertThat(groups.priorityOf(families("x y"))).isEqualTo(CachePriority.ON_DEMAND);
    assertThat(groups.priorityOf(Set.of())).isEqualTo(CachePriority.ON_DEMAND);
    assertThat(InMemoryGroups.NONE.priorityOf(families("a"))).isEqualTo(CachePriority.ON_DEMAND);
  }

  @Test
  void prioritiesOneToThreeAreEligibleForPreloading() {
    assertThat(Arrays.stream(CachePriority.values()).filter(CachePriority::preloads))
        .containsExactly(
            CachePriority.ONE_GROUP, CachePriority.SEVERAL_GROUPS, CachePriority.SOME_FAMILIES);
  }

  private static Set<Bytes> families(String names) {
    return Arrays.stream(names.split(" ")).map(Bytes::utf8).collect(Collectors.toSet());
  }
}
