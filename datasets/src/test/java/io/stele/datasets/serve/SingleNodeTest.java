package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.VersionState;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.StoreCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One node: versions come, fail, are served, kept and removed, and survive a crash. */
class SingleNodeTest {
  @TempDir private Path data;
  private TestCluster cluster;

  @BeforeEach
  void open() {
    cluster = new TestCluster(data, 1);
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  private void assertServed(TestCluster.Member node, String version, int keys) {
    assertThat(node.serving()).isEqualTo(version);
    for (int i = 0; i < keys; i++) {
      assertThat(node.ask("k" + i)).isEqualTo(version + ":" + i);
    }
  }

  @Test
  void aNodeServesWhatIsInTheSource() throws Exception {
    cluster.write("v1", 5, 500);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    assertServed(node, "v1", 500);
    assertThat(node.ask("k500")).isEqualTo("missing in v1");
    assertThat(node.shards("v1")).containsExactly(0, 1, 2, 3, 4);
    assertThat(node.node.healthy()).isTrue();
    assertThat(node.node.list()).containsExactly("scores");
  }

  @Test
  void ofKeysInSeveralFilesTheLastOneOfTheLastFileCounts() throws Exception {
    for (int i = 3; i >= 0; i--) {
      cluster.file("scores/v1/part-" + i + ".tsv", "key\tfirst\nkey\t" + i + "\n");
    }
    cluster.finish("scores/v1");
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    assertThat(node.ask("key")).isEqualTo("3");
  }

  /** Nodes that list a copy at different moments would not agree on the number of shards. */
  @Test
  void aVersionThatNobodyCallsFinishedIsTakenOnceTwoListsAreEqual() throws Exception {
    Duration pause = DatasetSettings.DEFAULT.secondLook();
    cluster.file("scores/v1/part-0.tsv", "a\t1\n");
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.clock.advance(pause.minusMillis(1));
    cluster.settle();
    assertThat(node.serving()).as("listed once").isEmpty();
    cluster.file("scores/v1/part-1.tsv", "b\t2\n");
    cluster.clock.advance(pause);
    cluster.settle();
    assertThat(node.serving()).as("a file more").isEmpty();
    cluster.file("scores/v1/part-1.tsv", "b\t2\nc\t3\n");
    cluster.clock.advance(pause);
    cluster.settle();
    assertThat(node.serving()).as("a longer file").isEmpty();
    cluster.clock.advance(pause);
    cluster.settle();
    assertThat(node.shards("v1")).containsExactly(0, 1);
    assertThat(List.of(node.ask("a"), node.ask("b"), node.ask("c"))).containsExactly("1", "2", "3");
  }

  @Test
  void theNumberOfFilesIsTheNumberOfShards() throws Exception {
    TestCluster.Member node = cluster.start("n1:1");
    for (int files : List.of(1, 2, 7)) {
      cluster.write("v" + files, files, 20);
      cluster.refresh();
      assertServed(node, "v" + files, 20);
      assertThat(node.shards("v" + files)).hasSize(files);
    }
  }

  @Test
  void unknownDatasetsAndThoseNotYetThereAreNotFound() throws Exception {
    TestCluster.Member node = cluster.start("n1:1");
    cluster.write("v1", 1, 1);
    assertThatThrownBy(() -> node.get("k0"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("scores");
    node.loads.hold(true);
    cluster.settle();
    assertThatThrownBy(() -> node.get("k0")).isInstanceOf(NotFoundException.class);
    assertThat(node.node.healthy()).isFalse();
    assertThat(node.state("v1")).contains(VersionState.BUILDING);
  }

  @Test
  void aNewerVersionTakesOverAndTheOldOneIsKeptTenIdleMinutes() throws Exception {
    cluster.write("v1", 2, 20);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.write("v2", 3, 20);
    cluster.refresh();
    assertServed(node, "v2", 20);
    cluster.clock.advance(Duration.ofMinutes(9));
    cluster.settle();
    assertThat(node.state("v1")).contains(VersionState.ACTIVE);
    // A peer's request for it begins the time anew.
    assertThat(node.node.answerPeer("scores", "v1", 0, List.of(Bytes.utf8("k1"))))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("v1:1")));
    cluster.clock.advance(Duration.ofMinutes(9));
    cluster.settle();
    assertThat(node.shards("v1")).hasSize(2);
    cluster.clock.advance(Duration.ofMinutes(1));
    cluster.settle();
    assertThat(node.shards("v1")).isEmpty();
    assertThat(stored("v1")).isEmpty();
    assertServed(node, "v2", 20);
    cluster.clock.advance(Duration.ofDays(1));
    cluster.settle();
    assertServed(node, "v2", 20);
  }

  private List<String> stored(String version) throws IOException {
    Path directory = data.resolve("n1_1/scores").resolve(version);
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void anOlderVersionThatComesLaterIsNotServed() throws Exception {
    cluster.write("v2", 1, 5);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.write("v1", 1, 5);
    cluster.refresh();
    assertServed(node, "v2", 5);
    assertThat(node.state("v1")).contains(VersionState.AVAILABLE);
  }

  @Test
  void aBrokenVersionLeavesTheOldOneServingAndIsTriedAgain() throws Exception {
    cluster.write("v1", 2, 20);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.write("v2", 3, 20);
    cluster.file("scores/v2/part-1.tsv", "k1\tv2:1\nno tab here\n");
    cluster.refresh();
    assertServed(node, "v1", 20);
    assertThat(node.state("v2")).contains(VersionState.ERROR);
    assertThat(node.reason("v2")).contains("scores/v2/part-1.tsv").contains("line 2");
    assertThat(node.shards("v2")).isEmpty();
    assertThat(stored("v2")).containsExactly("version.json");
    cluster.write("v2", 3, 20);
    cluster.refresh();
    assertServed(node, "v2", 20);
    assertThat(node.reason("v2")).isEmpty();
  }

  @Test
  void whatFailsIsTriedAgainByTheTimerButLessAndLessOften() throws Exception {
    cluster.file("scores/v1/part-1.tsv", "no tab\n");
    cluster.finish("scores/v1");
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    for (int i = 0; i < 360; i++) {
      cluster.clock.advance(Duration.ofSeconds(10));
      cluster.settle();
    }
    assertThat(node.events.stream().filter(e -> e instanceof DatasetEvent.VersionFailed).count())
        .isBetween(6L, 15L);
  }

  @Test
  void aCorruptVersionBesideAGoodOneIsPassedOverByAFreshNode() throws Exception {
    cluster.write("v1", 2, 20);
    cluster.file("scores/v2/part-0.tsv", "no tab here");
    cluster.finish("scores/v2");
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    assertServed(node, "v1", 20);
    assertThat(node.reason("v2")).contains("part-0.tsv");
  }

  @Test
  void oneDatasetsFailureLeavesOthersAlone() throws Exception {
    cluster.write("v1", 2, 20);
    cluster.file("broken/v1/part-0.tsv", "no tab here");
    cluster.finish("broken/v1");
    cluster.finish("empty/v1");
    cluster.file("odd name/v1/part-0.tsv", "a\tb\n");
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    assertServed(node, "v1", 20);
    List<DatasetStatus> all = node.node.ownStatus();
    assertThat(all)
        .extracting(DatasetStatus::dataset)
        .containsExactly("broken", "empty", "odd name", "scores");
    assertThat(all.get(0).versions().getFirst().nodes().getFirst().reason())
        .contains("broken/v1/part-0.tsv");
    assertThat(all.get(1).versions().getFirst().nodes().getFirst().reason())
        .contains("without files");
    assertThat(all.get(2).problem()).contains("letters");
  }

  @Test
  void aSourceThatCannotBeReadChangesNothing() throws Exception {
    cluster.write("v1", 2, 20);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.source.failFrom(StoreCall.LIST, 1, () -> new IOException("no route"));
    assertThatThrownBy(() -> node.node.refresh())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("no route");
    cluster.clock.advance(Duration.ofDays(1));
    cluster.settle();
    assertServed(node, "v1", 20);
  }

  @Test
  void aDatasetThatVanishedGoesWhenNobodyAsksForIt() throws Exception {
    cluster.write("v1", 1, 5);
    cluster.write("other", "v1", 1, 5);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.source.delete(FilePath.of("scores/v1/part-0.tsv"));
    cluster.source.delete(FilePath.of("scores/v1/_SUCCESS"));
    cluster.source.delete(FilePath.of("scores/v1"));
    cluster.source.delete(FilePath.of("scores"));
    cluster.refresh();
    cluster.clock.advance(Duration.ofMinutes(9));
    assertServed(node, "v1", 5);
    cluster.clock.advance(Duration.ofMinutes(9));
    cluster.settle();
    assertServed(node, "v1", 5);
    cluster.clock.advance(Duration.ofMinutes(10));
    cluster.settle();
    assertThat(node.node.list()).containsExactly("other");
    assertThat(Files.exists(data.resolve("n1_1/scores"))).isFalse();
  }

  @Test
  void aRestartServesFromDiskWithoutTheSourceAndTheMap() throws Exception {
    cluster.write("v1", 3, 30);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    node.kill();
    cluster.source.failFrom(StoreCall.OPEN, 1, () -> new IOException("no route"));
    cluster.source.failFrom(StoreCall.LIST, 1, () -> new IOException("no route"));
    cluster.map.down(true);
    TestCluster.Member again = cluster.start("n1:1");
    cluster.settle();
    assertServed(again, "v1", 30);
  }

  @Test
  void aRestartNeverGoesBack() throws Exception {
    cluster.write("v1", 1, 5);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.write("v2", 1, 5);
    cluster.refresh();
    assertServed(node, "v2", 5);
    node.kill();
    // Its newer version is lost, the older one is there.
    for (String file : List.of("00000.spl", "00000.spi", "00000.json", "version.json")) {
      Files.delete(data.resolve("n1_1/scores/v2").resolve(file));
    }
    cluster.source.delete(FilePath.of("scores/v2/part-0.tsv"));
    cluster.source.delete(FilePath.of("scores/v2/_SUCCESS"));
    cluster.source.delete(FilePath.of("scores/v2"));
    TestCluster.Member again = cluster.start("n1:1");
    cluster.settle();
    assertThat(again.serving()).isEmpty();
    assertThat(again.node.ownStatus().getFirst().problem()).contains("v2").contains("pin");
    again.node.pin("scores", "v1");
    cluster.settle();
    assertServed(again, "v1", 5);
  }

  @Test
  void aCrashAtAnyPointOfALoadLeavesNoHalfShard() throws Exception {
    for (int steps = 0; steps < 8; steps++) {
      Path own = data.resolve("crash" + steps);
      try (TestCluster crashing = new TestCluster(own, steps)) {
        crashing.write("v1", 3, 60);
        TestCluster.Member node = crashing.start("n1:1");
        for (int i = 0; i < steps * 4; i++) {
          crashing.stumble();
        }
        node.kill();
        // Half-written files, as a crash leaves them.
        Path version = own.resolve("n1_1/scores/v1");
        if (Files.exists(version.resolve("version.json"))
            && !Files.exists(version.resolve("00001.json"))) {
          Files.writeString(version.resolve("00001.spl"), "half");
          Files.writeString(version.resolve("00001.spi-tmp1"), "half");
        }
        TestCluster.Member again = crashing.start("n1:1");
        for (int shard = 0; shard < 3; shard++) {
          boolean finished = Files.exists(version.resolve("0000" + shard + ".json"));
          assertThat(Files.exists(version.resolve("0000" + shard + ".spl")))
              .as("steps " + steps + " shard " + shard)
              .isEqualTo(finished);
        }
        crashing.settle();
        assertServed(again, "v1", 60);
        assertThat(Files.exists(version.resolve("00001.spi-tmp1"))).isFalse();
      }
    }
  }

  @Test
  void closingInTheMidstOfWorkDeletesNothing() throws Exception {
    cluster.write("v1", 2, 20);
    cluster.start("n1:1");
    cluster.settle();
    cluster.members.get("n1:1").kill();
    TestCluster.Member node = cluster.start("n1:1"); // which has yet to open its shards
    node.node.close();
    while (!node.work.isEmpty()) {
      node.work.runOne(cluster.random);
    }
    assertThat(stored("v1")).contains("version.json", "00000.json", "00001.spl");
    cluster.members.remove("n1:1");
    TestCluster.Member again = cluster.start("n1:1");
    cluster.write("v2", 2, 20);
    again.loads.hold(true);
    cluster.settle();
    again.node.close();
    again.loads.hold(false);
    while (!again.loads.isEmpty() || !again.work.isEmpty()) {
      again.loads.runOne(cluster.random);
      again.work.runOne(cluster.random);
    }
    assertThat(stored("v1")).contains("version.json", "00000.json", "00001.spl");
    assertThat(stored("v2")).contains("version.json");
    cluster.members.remove("n1:1");
    cluster.start("n1:1");
    cluster.settle();
    assertServed(cluster.members.get("n1:1"), "v2", 20);
  }

  @Test
  void aShardThatWasDamagedOnDiskIsLoadedAgain() throws Exception {
    cluster.write("v1", 3, 60);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    node.kill();
    Path log = data.resolve("n1_1/scores/v1/00001.spl");
    byte[] content = Files.readAllBytes(log);
    content[100] ^= 1;
    Files.write(log, content);
    TestCluster.Member again = cluster.start("n1:1");
    cluster.settle();
    assertServed(again, "v1", 60);
    assertThat(again.events)
        .anySatisfy(
            event ->
                assertThat(event)
                    .isInstanceOfSatisfying(
                        DatasetEvent.ShardDamaged.class,
                        damaged -> assertThat(damaged.reason()).contains("00001.spl")));
  }

  @Test
  void aDiskThatFailsWhileLoadingFailsTheVersionAndNothingElse() throws Exception {
    cluster.write("v1", 2, 20);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    cluster.write("v2", 2, 20);
    cluster.source.failNth(StoreCall.READ, 4, () -> new IOException("lost connection"));
    cluster.refresh();
    assertServed(node, "v1", 20);
    assertThat(node.reason("v2")).contains("lost connection");
    cluster.refresh();
    assertServed(node, "v2", 20);
  }

  @Test
  void pinsAndRollbackAreTheOnlyWayBack() throws Exception {
    cluster.write("v1", 2, 20);
    cluster.write("v2", 2, 20);
    cluster.write("v3", 2, 20);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    assertServed(node, "v3", 20);
    assertThat(node.node.rollback("scores")).isEqualTo("v2");
    cluster.settle();
    assertServed(node, "v2", 20);
    assertThat(node.node.pinned("scores")).contains("v2");
    cluster.write("v4", 2, 20);
    cluster.refresh();
    assertServed(node, "v2", 20);
    node.node.pin("scores", "v1");
    cluster.settle();
    assertServed(node, "v1", 20);
    // A restart without the metastore keeps to the pin that was last heard of.
    node.kill();
    cluster.pins.down(true);
    TestCluster.Member again = cluster.start("n1:1");
    cluster.settle();
    assertServed(again, "v1", 20);
    cluster.pins.down(false);
    again.node.unpin("scores");
    cluster.settle();
    assertServed(again, "v4", 20);
    assertThatThrownBy(() -> again.node.pin("scores", "v9"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("v9")
        .hasMessageContaining("v4");
    assertThatThrownBy(() -> again.node.rollback("none")).isInstanceOf(NotFoundException.class);
  }

  @Test
  void peersAreToldOfVersionsAndDatasetsThatAreNotHere() throws Exception {
    cluster.write("v1", 1, 5);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    List<Bytes> keys = List.of(Bytes.utf8("k1"), Bytes.utf8("none"));
    assertThat(node.node.answerPeer("scores", "v1", 0, keys))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("v1:1")), new PeerAnswer.Missing());
    assertThat(node.node.answerPeer("scores", "v2", 0, keys))
        .hasSize(2)
        .allSatisfy(
            answer ->
                assertThat(answer)
                    .isInstanceOfSatisfying(
                        PeerAnswer.NotHere.class,
                        not -> assertThat(not.reason()).contains("v2").contains("scores")));
    assertThat(node.node.answerPeer("none", "v1", 0, keys))
        .allMatch(answer -> answer instanceof PeerAnswer.NotHere);
  }

  /**
   * It looks in another shard than the peer would: a key that is not there may be in the version.
   */
  @Test
  void aPeerThatCountsOtherShardsIsNotAnswered() throws Exception {
    cluster.write("v1", 3, 5);
    TestCluster.Member node = cluster.start("n1:1");
    cluster.settle();
    List<Bytes> keys = List.of(Bytes.utf8("k1"), Bytes.utf8("none"));
    assertThat(node.node.answerPeer("scores", "v1", 3, keys))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("v1:1")), new PeerAnswer.Missing());
    assertThat(node.node.answerPeer("scores", "v1", 4, keys))
        .containsOnly(
            new PeerAnswer.NotHere(
                "version v1 of dataset scores has 3 shards here, and 4 were asked for"));
  }
}
