package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SingleNodeTest {
  @TempDir private Path data;

  @Test
  void aNodeServesWhatIsInTheSource() throws Exception {
    try (TestCluster cluster = new TestCluster(data, 1)) {
      cluster.write("v1", 5, 1_000);
      TestCluster.Member node = cluster.start("n1:1");
      cluster.settle();
      assertThat(node.serving()).isEqualTo("v1");
      for (int i = 0; i < 1_000; i++) {
        assertThat(node.ask("k" + i)).isEqualTo("v1:" + i);
      }
      assertThat(node.ask("k1000")).isEqualTo("missing in v1");
      assertThat(node.shards("v1")).containsExactly(0, 1, 2, 3, 4);
    }
  }
}
