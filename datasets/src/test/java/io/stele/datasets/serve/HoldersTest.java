package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HoldersTest {
  @Test
  void aHundredThousandShardsOfANodeAreAHundredEntries() {
    int shards = 100_000;
    Map<Integer, ShardBlock> blocks = new TreeMap<>();
    for (int shard = 0; shard < shards; shard += 2) {
      blocks
          .computeIfAbsent(shard / ShardBlock.SHARDS, first -> ShardBlock.of(first * 1_024))
          .set(shard, true);
    }
    Map<String, String> entries = new TreeMap<>();
    blocks.values().forEach(block -> entries.put(block.name("a:1"), block.value()));
    assertThat(entries).hasSize(98);
    Holders holders = Holders.parse(shards, entries, "self:1");
    for (int shard = 0; shard < shards; shard++) {
      assertThat(holders.of(shard)).hasSize(shard % 2 == 0 ? 1 : 0);
    }
  }

  @Test
  void aShardThatIsGoneIsNoLongerSaidToBeHere() {
    ShardBlock block = ShardBlock.of(1_030);
    block.set(1_024, true);
    block.set(1_030, true);
    block.set(1_024, false);
    assertThat(ShardBlock.parse(block.name("a:1"), block.value()).stream()).containsExactly(1_030);
    block.set(1_030, false);
    assertThat(ShardBlock.parse(block.name("a:1"), block.value()).isEmpty()).isTrue();
  }

  @Test
  void entriesOfEarlierVersionsAreReadAndOthersPassedOver() {
    ShardBlock block = ShardBlock.of(0);
    block.set(1, true);
    block.set(2, true);
    Holders holders =
        Holders.parse(
            3,
            Map.ofEntries(
                Map.entry("00001@b:1", ""),
                Map.entry(block.name("b:1"), block.value()), // the same node, just upgraded
                Map.entry(block.name("a:1"), block.value()),
                Map.entry(block.name("self:1"), block.value()),
                Map.entry("00003@c:1", ""), // no shard of the version
                Map.entry("b00001@c:1", block.value()), // no block begins there
                Map.entry("b00000@c:1", "%%%"),
                Map.entry("b99999999999@c:1", block.value()),
                Map.entry("x", ""),
                Map.entry("0000a@c:1", "")),
            "self:1");
    assertThat(holders.of(0)).isEmpty();
    assertThat(holders.of(1)).containsExactly("a:1", "b:1");
    assertThat(holders.of(2)).containsExactly("a:1", "b:1");
  }
}
