package io.stele.bench.cluster;

import io.stele.bench.Peer;
import io.stele.bench.measure.Progress;
import io.stele.bench.process.HBaseProgram;
import java.time.Duration;

/** How the sides are found. */
interface ClusterSides {
  /** HBase's, if nothing else is set. */
  Duration HBASE_SESSION = Duration.ofSeconds(90);

  ClusterSide stele();

  /** The peer at a session time-out. */
  Peer<ClusterSide> peer(Duration session, boolean offline, Progress progress);

  ClusterSides REAL =
      new ClusterSides() {
        @Override
        public ClusterSide stele() {
          return new SteleCluster();
        }

        @Override
        public Peer<ClusterSide> peer(Duration session, boolean offline, Progress progress) {
          return Peer.find(
              "%s, session %d s".formatted(HBaseProgram.NAME, session.toSeconds()),
              () -> new HBaseCluster(HBaseProgram.find(offline, progress), session));
        }
      };
}
