package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "For all of the partitions at index idx, if idx % len(nodes) is equal to its position …" */
class AssignmentTest {
  private static List<Set<Integer>> deal(int nodes, int replication, int shards) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      names.add("node%02d:9599".formatted(i));
    }
    List<Set<Integer>> dealt = new ArrayList<>();
    for (String name : names) {
      dealt.add(Assignment.of(shards, replication, names.reversed(), name));
    }
    return dealt;
  }

  @Test
  void fiveNodesThreeReplicasFiveShards() {
    assertThat(deal(5, 3, 5))
        .containsExactly(
            Set.of(0, 1, 3), Set.of(0, 2, 3), Set.of(0, 2, 4), Set.of(1, 2, 4), Set.of(1, 3, 4));
  }

  @Test
  void moreReplicasThanNodesGiveEachNodeEachShardOnce() {
    assertThat(deal(1, 2, 3)).containsExactly(Set.of(0, 1, 2));
    assertThat(deal(2, 3, 2)).containsExactly(Set.of(0, 1), Set.of(0, 1));
  }

  @Test
  void fewerShardsThanNodesLeaveSomeWithoutAny() {
    assertThat(deal(4, 1, 2)).containsExactly(Set.of(0), Set.of(1), Set.of(), Set.of());
  }

  @Test
  void namesAreOrderedAsText() {
    List<String> names = List.of("10:1", "2:1");
    assertThat(Assignment.of(2, 1, names, "10:1")).containsExactly(0);
    assertThat(Assignment.of(2, 1, names, "2:1")).containsExactly(1);
  }

  @Test
  void whoIsNotInTheListGetsNothing() {
    assertThat(Assignment.of(5, 2, List.of("a:1", "b:1"), "c:1")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5,2,20", "30,3,64", "7,7,10", "3,1,100", "2,5,9"})
  void everyShardHasAsManyHoldersAsItCan(int nodes, int replication, int shards) {
    List<Set<Integer>> dealt = deal(nodes, replication, shards);
    for (int shard = 0; shard < shards; shard++) {
      int wanted = shard;
      assertThat(dealt.stream().filter(set -> set.contains(wanted)).count())
          .isEqualTo(Math.min(nodes, replication));
    }
    TreeSet<Integer> sizes = new TreeSet<>(dealt.stream().map(Set::size).toList());
    assertThat(sizes.last() - sizes.first()).as("evenly dealt").isLessThanOrEqualTo(1);
  }
}
