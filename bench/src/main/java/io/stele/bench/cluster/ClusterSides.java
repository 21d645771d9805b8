package io.stele.bench.cluster;

import io.stele.bench.measure.Progress;
import io.stele.bench.table.HBaseProgram;
import io.stele.bench.table.PeerKit.MissingException;
import java.time.Duration;
import java.util.Map;

/** How the sides are found. */
interface ClusterSides {
  /** HBase's, if nothing else is set. */
  Duration RECOMMENDED_SESSION = Duration.ofSeconds(90);

  /**
   * HBase twice.
   *
   * @param recommended at the session time-out that it comes with
   * @param alike at Stele's
   */
  record Rivals(Rival recommended, Rival alike) {}

  ClusterSide stele();

  Rivals rivals(boolean offline, Progress progress);

  ClusterSides REAL =
      new ClusterSides() {
        @Override
        public ClusterSide stele() {
          return new SteleCluster();
        }

        @Override
        public Rivals rivals(boolean offline, Progress progress) {
          try {
            HBaseProgram program = HBaseProgram.find(offline, progress);
            return new Rivals(
                new Rival.Present(new HBaseCluster(program, RECOMMENDED_SESSION)),
                new Rival.Present(new HBaseCluster(program, SteleCluster.SESSION)));
          } catch (MissingException e) {
            return absent(String.valueOf(e.getMessage()));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return absent("the search for it was interrupted");
          }
        }
      };

  private static Rivals absent(String reason) {
    return new Rivals(
        new Rival.Absent(title(RECOMMENDED_SESSION), reason),
        new Rival.Absent(title(SteleCluster.SESSION), reason));
  }

  private static String title(Duration session) {
    return "%s, session %d s".formatted(HBaseProgram.NAME, session.toSeconds());
  }

  /** What stands above the results. */
  static Map<String, String> facts(Rival rival) {
    return switch (rival) {
      case Rival.Present(ClusterSide side) -> side.facts();
      case Rival.Absent(String title, String reason) -> Map.of(title, "ABSENT: " + reason);
    };
  }
}
