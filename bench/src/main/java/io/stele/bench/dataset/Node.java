package io.stele.bench.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Datasets;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.event.Events;
import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.ByteSize;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.datasets.serve.DatasetNode;
import io.stele.datasets.serve.DatasetPeer;
import io.stele.datasets.serve.DatasetSettings;
import io.stele.datasets.serve.PeerAnswer;
import io.stele.datasets.serve.SoloMap;
import io.stele.datasets.shard.InputKinds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A node of datasets in this process, alone, that looks for versions when it is told to. */
final class Node implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private static final DatasetSettings SETTINGS =
      new DatasetSettings(
          true,
          Duration.ZERO,
          1,
          1,
          Duration.ZERO,
          Duration.ofMillis(100),
          Duration.ZERO,
          Duration.ofMinutes(10),
          Runtime.getRuntime().availableProcessors(),
          new ByteSize(0),
          false,
          Duration.ofMinutes(5));

  private final LocalFileStore source;
  private final DatasetNode node;

  private Node(LocalFileStore source, DatasetNode node) {
    this.source = source;
    this.node = node;
  }

  static Node open(Path source, Path data) throws IOException {
    LocalFileStore store = LocalFileStore.open(source);
    boolean opened = false;
    try {
      Node node =
          new Node(
              store,
              DatasetNode.open(
                  new DatasetNode.Parts(
                      "bench:1",
                      SETTINGS,
                      store,
                      InputKinds.onClassPath(),
                      data,
                      new SoloMap(),
                      Optional.empty(),
                      new Nobody(),
                      Clock.system(),
                      RandomSource.system(),
                      new Events((event, problem) -> {}))));
      opened = true;
      return node;
    } finally {
      if (!opened) {
        store.close();
      }
    }
  }

  Datasets datasets() {
    return node;
  }

  /** Tells it to look for versions, and waits until it serves this one. */
  void awaitServed(String version) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    node.refresh();
    while (true) {
      for (DatasetStatus status : node.ownStatus()) {
        if (status.serving().equals(version)) {
          return;
        }
        check(status, version);
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("version " + version + " is not served within " + PATIENCE);
      }
      Thread.sleep(PAUSE);
    }
  }

  private static void check(DatasetStatus status, String version) throws IOException {
    for (VersionStatus each : status.versions()) {
      String reason = each.nodes().getFirst().reason();
      if (each.version().equals(version) && !reason.isEmpty()) {
        throw new IOException("version " + version + " cannot be served: " + reason);
      }
    }
  }

  @Override
  public void close() throws IOException {
    node.close();
    source.close();
  }

  /** There is nobody else. */
  private static final class Nobody implements DatasetPeer {
    @Override
    public CompletableFuture<List<PeerAnswer>> get(
        String address, String dataset, String version, int shards, List<Bytes> keys) {
      return CompletableFuture.failedFuture(new IOException("no node at " + address));
    }

    @Override
    public CompletableFuture<List<DatasetStatus>> status(String address) {
      return CompletableFuture.failedFuture(new IOException("no node at " + address));
    }
  }
}
