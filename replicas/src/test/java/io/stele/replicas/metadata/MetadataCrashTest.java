package io.stele.replicas.metadata;

import static io.stele.replicas.metadata.MetadataSamples.join;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.error.SteleException;
import io.stele.base.file.CrashMode;
import io.stele.replicas.CrashPoint;
import io.stele.replicas.MetadataCluster;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One server is killed at each step that it takes: each call of the coordination service, of a peer
 * or of its files, before it and after it. When it is back and all have tidied up, every metadata
 * server has the valid file, and nobody has another.
 */
class MetadataCrashTest {
  private static final List<String> ALL = List.of("a", "b", "c", "d");

  /** What goes on, and which server is killed meanwhile. */
  enum History {
    COMMIT("a") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    COMMIT_WITH_ONE_DOWN("a") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.stop("c");
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    LOSE_TO_ANOTHER("a") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.service.beforeChange(
            "a", () -> cluster.server("b").change(base.table(), join(base, "2", "y")));
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    NO_MAJORITY("a") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.network.on(call -> call.is("store")).loseAnswer(2);
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    UNKNOWN_AND_MADE("a") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.service.loseAnswer("a");
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    UNKNOWN_AND_NOT_MADE("a") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.service.loseRequest("a");
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    PEER_OF_A_COMMIT("b") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    PEER_OF_A_LOSER("c") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.service.beforeChange(
            "a", () -> cluster.server("b").change(base.table(), join(base, "2", "y")));
        cluster.server("a").change(base.table(), join(base, "1", "x"));
      }
    },
    JOIN("d") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.server("d").join(base.table());
      }
    },
    JOIN_DURING_A_COMMIT("d") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.service.beforeChange(
            "d", () -> cluster.server("a").change(base.table(), join(base, "1", "x")));
        cluster.server("d").join(base.table());
      }
    },
    REMOVE("c") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.server("c").remove(base.table(), "c");
      }
    },
    FETCH_AND_TIDY("c") {
      @Override
      void run(MetadataCluster cluster, Metadata base) {
        cluster.network.on(call -> call.to().equals(MetadataCluster.address("c"))).refuse(1);
        Metadata next = cluster.server("a").change(base.table(), join(base, "1", "x"));
        Metadata lost = ChangedMetadata.of(next, join(next, "lost", "y"));
        cluster.server("c").store(base.table(), "lost", MetadataFile.encode(lost));
        cluster.server("c").round();
        cluster.clock.advance(MetadataCluster.ABANDONED);
        cluster.server("c").round();
      }
    };

    private final String victim;

    History(String victim) {
      this.victim = victim;
    }

    abstract void run(MetadataCluster cluster, Metadata base);
  }

  @ParameterizedTest
  @EnumSource
  void killedAtEveryStep(History history) {
    int steps = run(history, Integer.MAX_VALUE, CrashMode.processKilled());
    assertThat(steps).isGreaterThan(1);
    for (int step = 1; step <= steps; step++) {
      run(history, step, CrashMode.processKilled());
      run(
          history,
          step,
          step % 2 == 0
              ? CrashMode.dropUnsynced()
              : CrashMode.tornTails(step, CrashMode.Tail.GARBAGE));
    }
  }

  private static int run(History history, int killAt, CrashMode mode) {
    MetadataCluster cluster = new MetadataCluster("a", "b", "c", "d");
    Metadata base = cluster.create("t", "a", "b", "c");
    cluster.round();
    CrashPoint crash = cluster.crash(history.victim);
    int before = crash.steps().size();
    crash.killAt(killAt == Integer.MAX_VALUE ? killAt : before + killAt);
    boolean answered = false;
    try {
      history.run(cluster, base);
      answered = true;
    } catch (SteleException | CrashPoint.Killed e) {
      assertThat(e).isNotNull(); // some histories end so, and all may that are killed
    }
    List<String> steps = crash.steps();
    String where = history + " " + mode.unsynced() + " killed " + steps.getLast();
    checkMajority(cluster, where);
    if (answered && history != History.REMOVE && !history.name().startsWith("JOIN")) {
      assertThat(cluster.service.config("t").metadataTxn()).as(where).isEqualTo("1");
    }
    revive(cluster, history.victim, mode);
    cluster.tidy();
    check(cluster, where);
    return steps.size() - before;
  }

  /** What is valid is on the disks of a majority at every moment, whoever was killed. */
  private static void checkMajority(MetadataCluster cluster, String where) {
    TableConfig config = cluster.service.config("t");
    long have =
        config.metadataServers().stream()
            .filter(each -> cluster.files(each, "t").contains(config.metadataTxn()))
            .count();
    assertThat(have).as(where).isGreaterThan(config.metadataServers().size() / 2);
  }

  private static void revive(MetadataCluster cluster, String victim, CrashMode mode) {
    cluster.network.heal();
    if (cluster.crash(victim).killed()) {
      cluster.stop(victim, mode);
    }
    for (String server : ALL) {
      if (cluster.crash(server).killed()) {
        cluster.start(server);
      }
    }
  }

  private static void check(MetadataCluster cluster, String where) {
    TableConfig config = cluster.service.config("t");
    for (String server : ALL) {
      List<String> files = cluster.files(server, "t");
      if (config.metadataServers().contains(server)) {
        assertThat(files)
            .as("%s: files of %s", where, server)
            .containsExactly(config.metadataTxn());
        assertThat(cluster.server(server).fetch("id-t", config.metadataTxn()))
            .as("%s: served by %s", where, server)
            .isPresent();
      } else {
        // Who has left, or did not get as far as to join, may keep the valid one.
        assertThat(files)
            .as("%s: files of %s", where, server)
            .isSubsetOf(List.of(config.metadataTxn()));
      }
    }
    // And life goes on.
    Metadata valid = cluster.server("d").cache().refresh("id-t").orElseThrow().metadata();
    cluster
        .server("d")
        .requester()
        .change(
            "id-t",
            each ->
                each.txn().equals(valid.txn())
                    ? Optional.of(join(valid, "unused", "z").operation())
                    : Optional.empty());
    cluster.round();
    for (String server : ALL) {
      assertThat(cluster.files(server, "t"))
          .as("%s: files of %s after another change", where, server)
          .isEqualTo(
              config.metadataServers().contains(server)
                  ? List.of(cluster.service.config("t").metadataTxn())
                  : List.of());
    }
  }

  @Test
  void newTableWhoseMakerIsKilledLeavesNoFiles() {
    int steps = create(Integer.MAX_VALUE);
    for (int step = 1; step <= steps; step++) {
      create(step);
    }
  }

  private static int create(int killAt) {
    MetadataCluster cluster = new MetadataCluster("a", "b", "c", "d");
    CrashPoint crash = cluster.crash("a").killAt(killAt);
    try {
      cluster.create("t", "a", "b", "c");
    } catch (SteleException | CrashPoint.Killed e) {
      assertThat(crash.killed()).isTrue();
    }
    List<String> steps = crash.steps();
    if (crash.killed()) {
      cluster.stop("a");
      cluster.start("a");
    }
    cluster.tidy();
    boolean made = cluster.service.table("t").isPresent();
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.files(server, "t"))
          .as("killed %s: files of %s", steps.getLast(), server)
          .isEqualTo(made ? List.of("t-0") : List.of());
    }
    return steps.size();
  }
}
