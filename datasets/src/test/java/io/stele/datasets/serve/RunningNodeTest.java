package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.event.Events;
import io.stele.base.file.FilePath;
import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.ByteSize;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.datasets.shard.InputKinds;
import io.stele.datasets.shard.ShardFiles;
import io.stele.datasets.shard.ShardHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with its own threads, and requests that are under way while versions come and go. */
class RunningNodeTest {
  private static final int KEYS = 200;

  @TempDir private Path directory;

  private DatasetNode open(LocalFileStore source, FakePeers peers) throws IOException {
    return open(source, peers, ByteSize.ofMiB(64));
  }

  private DatasetNode open(LocalFileStore source, FakePeers peers, ByteSize loadRate)
      throws IOException {
    DatasetSettings settings =
        new DatasetSettings(
            true,
            Duration.ofMillis(20),
            2,
            1,
            Duration.ZERO,
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ZERO,
            2,
            loadRate,
            false,
            Duration.ZERO);
    return DatasetNode.open(
        new DatasetNode.Parts(
            "127.0.0.1:9599",
            settings,
            source,
            InputKinds.onClassPath(),
            directory.resolve("data"),
            new SoloMap(),
            Optional.empty(),
            peers,
            Clock.system(),
            RandomSource.system(),
            new Events((event, failure) -> {})));
  }

  private static void write(LocalFileStore source, int version, int files) throws IOException {
    for (int file = 0; file < files; file++) {
      StringBuilder text = new StringBuilder();
      for (int i = file; i < KEYS; i += files) {
        text.append("k" + i + "\tv" + version + ":" + i + "\n");
      }
      source.replace(
          FilePath.of("scores/v" + version + "/part-" + file + ".tsv"),
          text.toString().getBytes(StandardCharsets.UTF_8));
    }
    source.replace(FilePath.of("scores/v" + version + "/_SUCCESS"), new byte[0]);
  }

  private static boolean serves(DatasetNode node, String version) {
    return node.ownStatus().stream().anyMatch(status -> status.serving().equals(version));
  }

  private static long bytesLoaded(DatasetNode loading) {
    return loading.ownStatus().stream()
        .flatMap(status -> status.versions().stream())
        .flatMap(version -> version.nodes().stream())
        .mapToLong(node -> node.progress().bytes())
        .sum();
  }

  private static String manifestOf(String version, int shard) {
    return ShardFiles.manifest(FilePath.of("scores/" + version), shard).value();
  }

  @Test
  void versionsComeAndGoUnderLookupsThatNeverFailAndNeverGoBack() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (LocalFileStore source = LocalFileStore.open(directory.resolve("source"));
        DatasetNode node = open(source, new FakePeers());
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      write(source, 1, 1);
      await().atMost(Duration.ofSeconds(30)).until(() -> serves(node, "v1"));
      List<Future<Integer>> lookups = new ArrayList<>();
      for (int t = 0; t < 2; t++) {
        lookups.add(threads.submit(() -> look(node, stop)));
      }
      try {
        for (int version = 2; version <= 5; version++) {
          write(source, version, version % 3 + 1);
          String name = "v" + version;
          await().atMost(Duration.ofSeconds(30)).until(() -> serves(node, name));
        }
        // Nothing is kept for late requests here, so each old version goes under those in flight.
        await().atMost(Duration.ofSeconds(30)).until(() -> !isThere("v1") && !isThere("v4"));
      } finally {
        stop.set(true);
      }
      for (Future<Integer> lookup : lookups) {
        assertThat(lookup.get()).isPositive();
      }
    }
  }

  private boolean isThere(String version) {
    return Files.exists(directory.resolve("data/scores").resolve(version));
  }

  private static int look(DatasetNode node, AtomicBoolean stop) {
    String before = "";
    int count = 0;
    for (; !stop.get(); count++) {
      int key = count % KEYS;
      Lookup lookup = node.get("scores", Bytes.utf8("k" + key));
      assertThat(lookup).isInstanceOf(Lookup.Found.class);
      if (lookup instanceof Lookup.Found(Bytes value, var origin)) {
        assertThat(value.toUtf8()).isEqualTo(origin.version() + ":" + key);
        assertThat(origin.version()).isGreaterThanOrEqualTo(before);
        before = origin.version();
      }
    }
    return count;
  }

  @Test
  void itStopsInTheMidstOfALoadAndGoesOnAfterwards() throws Exception {
    try (LocalFileStore source = LocalFileStore.open(directory.resolve("source"))) {
      write(source, 1, 4);
      // At a byte in a second, the load is not over before the node ends.
      try (DatasetNode slow = open(source, new FakePeers(), new ByteSize(1))) {
        await().atMost(Duration.ofSeconds(30)).until(() -> bytesLoaded(slow) > 0);
        assertThat(serves(slow, "v1")).isFalse();
      }
      assertThat(directory.resolve("data/scores/v1/version.json")).exists();
      for (int shard = 0; shard < 4; shard++) {
        assertThat(directory.resolve("data").resolve(manifestOf("v1", shard))).doesNotExist();
      }
      try (DatasetNode node = open(source, new FakePeers())) {
        await().atMost(Duration.ofSeconds(30)).until(() -> serves(node, "v1"));
        assertThat(node.get("scores", Bytes.utf8("k7"))).isInstanceOf(Lookup.Found.class);
        // Pins of a node without a cluster are kept on its disk.
        write(source, 2, 1);
        await().atMost(Duration.ofSeconds(30)).until(() -> serves(node, "v2"));
        node.pin("scores", "v1");
        await().atMost(Duration.ofSeconds(30)).until(() -> serves(node, "v1"));
      }
      try (DatasetNode node = open(source, new FakePeers())) {
        await().atMost(Duration.ofSeconds(30)).until(() -> serves(node, "v1"));
        assertThat(node.pinned("scores")).contains("v1");
      }
    }
  }

  @Test
  void aVersionIsRemovedThoughARequestForItIsStillUnderWay() throws Exception {
    DatasetSettings keepNothing =
        new DatasetSettings(
            false,
            Duration.ZERO,
            1,
            1,
            Duration.ZERO,
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ZERO,
            2,
            new ByteSize(0),
            false,
            Duration.ZERO);
    try (TestCluster cluster = new TestCluster(directory, 1).with(keepNothing)) {
      cluster.write("v1", 2, 20);
      List<TestCluster.Member> nodes = cluster.start(2);
      cluster.settle();
      cluster.peers.mood("n02:1", FakePeers.Mood.NEVER_ANSWERS);
      String key = "";
      for (int i = 0; key.isEmpty(); i++) {
        byte[] bytes = ("k" + i).getBytes(StandardCharsets.UTF_8);
        key = ShardHash.shard(bytes, 2) == 1 ? "k" + i : "";
      }
      String remote = key;
      FutureTask<String> request = new FutureTask<>(() -> nodes.get(0).ask(remote));
      Thread.ofPlatform().daemon().start(request);
      await().atMost(Duration.ofSeconds(30)).until(() -> !cluster.peers.asked().isEmpty());
      // The clock stands still, so the request is under way until it is answered.
      cluster.write("v2", 2, 20);
      cluster.refresh();
      assertThat(nodes.get(0).serving()).isEqualTo("v2");
      assertThat(nodes.get(0).shards("v1")).isEmpty();
      assertThat(directory.resolve("n01_1/scores/v1")).doesNotExist();
      assertThat(directory.resolve("n02_1/scores/v1")).doesNotExist();
      assertThat(request.isDone()).isFalse();
      cluster
          .peers
          .asked()
          .getFirst()
          .answer()
          .complete(List.of(new PeerAnswer.Found(Bytes.utf8("v1:late"))));
      assertThat(request.get(30, TimeUnit.SECONDS)).isEqualTo("v1:late");
    }
  }
}
