package io.stele.bench.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A cluster of each side, of the same plan; one is asked at a time. */
final class ScaleArena implements AutoCloseable {
  private static final String TABLE = "manytablets";

  private final ScaleSetup setup;
  private final List<Path> directories = new ArrayList<>();
  private final List<RunningCluster> clusters = new ArrayList<>();
  private boolean filled;

  private ScaleArena(ScaleSetup setup) {
    this.setup = setup;
  }

  /**
   * Starts them.
   *
   * @param running so many of the servers; the others are for later
   */
  static ScaleArena open(ScaleSetup setup, Plan plan, int running) throws Exception {
    ScaleArena arena = new ScaleArena(setup);
    try {
      for (ClusterSide side : setup.sides()) {
        Path directory = setup.workspace().directory(side.name());
        arena.directories.add(directory);
        RunningCluster cluster = side.start(directory, plan);
        arena.clusters.add(cluster);
        cluster.begin(running);
        setup.progress().line(side.name() + ": started");
      }
      return arena;
    } catch (Exception e) {
      arena.close();
      throw e;
    }
  }

  ScaleSetup setup() {
    return setup;
  }

  /** Stele's first. */
  List<RunningCluster> clusters() {
    return clusters;
  }

  /** Makes the table of many tablets, unless that is done; its name. */
  String manyTablets() throws Exception {
    if (!filled) {
      int tablets = setup.extent().tablets();
      for (RunningCluster cluster : clusters) {
        double seconds = cluster.ask("parts %s %d".formatted(TABLE, tablets)).seconds();
        setup
            .progress()
            .line("%s: %,d tablets made in %.1f s".formatted(cluster.name(), tablets, seconds));
      }
      filled = true;
    }
    return TABLE;
  }

  @Override
  public void close() throws Exception {
    for (RunningCluster cluster : clusters) {
      cluster.close();
    }
    for (Path directory : directories) {
      setup.workspace().delete(directory);
    }
  }
}
