package io.stele.datasets.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "Each partition K contains the keyspace where hashCode(key) % N == K." */
class ShardHashTest {
  @ParameterizedTest
  @CsvSource({"bar,20,19", "fol,20,11", "'',20,0", "a,20,17", "a,1,0", "polygenelubricants,7,0"})
  void vectors(String key, int shards, int shard) {
    assertThat(ShardHash.shard(key.getBytes(StandardCharsets.UTF_8), shards)).isEqualTo(shard);
  }

  @Test
  void asciiKeysHashAsJavasStringsWithoutTheSign() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      StringBuilder key = new StringBuilder();
      for (int c = random.nextInt(20); c > 0; c--) {
        key.append((char) (' ' + random.nextInt(95)));
      }
      int shards = 1 + random.nextInt(600);
      assertThat(ShardHash.shard(key.toString().getBytes(StandardCharsets.US_ASCII), shards))
          .isEqualTo((key.toString().hashCode() & 0x7fffffff) % shards);
    }
  }

  @Test
  void negativeHashesLoseTheirSignBitAndNothingElse() {
    // hashCode is Integer.MIN_VALUE, whose absolute value is negative.
    assertThat("polygenelubricants".hashCode()).isEqualTo(Integer.MIN_VALUE);
    assertThat(ShardHash.shard("zzzzzz".getBytes(StandardCharsets.US_ASCII), 20))
        .isEqualTo(("zzzzzz".hashCode() & 0x7fffffff) % 20);
  }

  @Test
  void bytesAreUnsigned() {
    assertThat(ShardHash.shard(new byte[] {(byte) 0xff}, 20)).isEqualTo(15);
    assertThat(ShardHash.shard(new byte[] {(byte) 0x80, 1}, 1_000)).isEqualTo(128 * 31 + 1 - 3_000);
  }
}
