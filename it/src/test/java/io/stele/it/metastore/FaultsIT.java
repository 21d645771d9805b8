package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Consistency;
import io.stele.it.metastore.Nemesis.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients see while members are killed, paused, cut off and replaced. */
@Timeout(600)
class FaultsIT {
  private static final ClientSettings IMPATIENT =
      ClientSettings.DEFAULTS
          .withCalls(
              CallSettings.DEFAULTS
                  .withTimeout(Duration.ofSeconds(4))
                  .withAttemptTimeout(Duration.ofSeconds(1))
                  .withPauses(Duration.ofMillis(20), Duration.ofMillis(200)))
          .withTransactionAttempts(1);

  @Test
  void registersAreLinearizable() throws Exception {
    long seed = Long.getLong("stele.seed", System.nanoTime());
    List<Stele> clients = new ArrayList<>();
    try (TestCluster cluster = TestCluster.start("registers", 3, TestNetwork.open())) {
      RegisterWorkload registers = new RegisterWorkload(seed, Consistency.LINEARIZABLE);
      for (int i = 0; i < 6; i++) {
        Stele client = cluster.client(i % 3, IMPATIENT.withDeduplicate(i % 3 != 0));
        clients.add(client);
        for (int j = 0; j < 4; j++) {
          registers.start("client-" + i + "." + j, client.metastore());
        }
      }
      Nemesis nemesis = new Nemesis(cluster, seed, Duration.ofSeconds(4));
      nemesis.run(nemesis.possible(Fault.values()), Duration.ofSeconds(60));
      registers.workers().stop();
      System.out.println(nemesis);
      System.out.println(registers.workers());
      assertThat(registers.check().violations()).as("seed %d, %s", seed, nemesis).isEmpty();
    } finally {
      clients.forEach(Stele::close);
    }
  }
}
