package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.process.ServerPack;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sixteen servers start at once, four in each of four processes: from an empty store, where one of
 * them comes to have META, and from one with a thousand tablets, of which each gets its share. In
 * {@link TabletClusterIT} three servers share a hundred tablets.
 */
class ManyServersIT {
  private static final int PROCESSES = 4;
  private static final int SERVERS_EACH = 4;
  private static final int SERVERS = PROCESSES * SERVERS_EACH;
  private static final int TABLETS = 1_000;

  @Test
  @Tag(LongRun.TAG)
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void sixteenServersStartAtOnce() {
    try (SteleCluster cluster =
        Tablets.plan("many-servers", 1, 0)
            .set("tables.session=8s") // all start in the same moment
            .start()) {
      List<ServerPack> packs = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        packs.add(cluster.pack("pack" + i, SERVERS_EACH, "tables"));
      }
      try {
        Duration time = run(new Tablets(cluster), packs);
        LongRun.record(
            new LongRun.Outcome(
                ManyServersIT.class.getSimpleName(),
                0,
                time,
                TABLETS,
                PROCESSES,
                0,
                Duration.ZERO));
      } finally {
        packs.forEach(ServerPack::close);
      }
    }
  }

  private static Duration run(Tablets tablets, List<ServerPack> packs) {
    long start = Clock.system().nanos();
    startAll(tablets, packs);
    try (Stele stele = tablets.cluster().client()) {
      ManyTablets wide = new ManyTablets(stele, "wide", TABLETS, SERVERS);
      wide.create();
      packs.forEach(ServerPack::kill);
      startAll(tablets, packs);
      wide.check();
      assertThat(stele.tables().verifyMeta("")).isEmpty();
    }
    return Duration.ofNanos(Clock.system().nanos() - start);
  }

  private static void startAll(Tablets tablets, List<ServerPack> packs) {
    packs.forEach(ServerPack::launch);
    packs.forEach(ServerPack::awaitReady);
    tablets.awaitServedBy(SERVERS);
  }
}
