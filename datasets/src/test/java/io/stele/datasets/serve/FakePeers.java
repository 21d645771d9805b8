package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.error.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The way between nodes in one JVM, with the faults a test wants. */
final class FakePeers implements DatasetPeer {
  /** What a node does with requests of peers. */
  enum Mood {
    ANSWERS,
    FAILS,
    NEVER_ANSWERS
  }

  /** One request. */
  record Asked(String address, String version, CompletableFuture<List<PeerAnswer>> answer) {}

  private final Map<String, DatasetService> nodes = new ConcurrentHashMap<>();
  private final Map<String, Mood> moods = new ConcurrentHashMap<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();

  void add(String address, DatasetService node) {
    nodes.put(address, node);
  }

  void remove(String address) {
    nodes.remove(address);
  }

  void mood(String address, Mood mood) {
    moods.put(address, mood);
  }

  List<Asked> asked() {
    return new ArrayList<>(asked);
  }

  void forget() {
    asked.clear();
  }

  @Override
  public CompletableFuture<List<PeerAnswer>> get(
      String address, String dataset, String version, int shards, List<Bytes> keys) {
    CompletableFuture<List<PeerAnswer>> answer = new CompletableFuture<>();
    asked.add(new Asked(address, version, answer));
    DatasetService node = nodes.get(address);
    switch (moods.getOrDefault(address, Mood.ANSWERS)) {
      case ANSWERS -> {
        if (node == null) {
          answer.completeExceptionally(new UnavailableException(address + " is gone"));
        } else {
          answer.complete(node.answerPeer(dataset, version, shards, keys));
        }
      }
      case FAILS -> answer.completeExceptionally(new UnavailableException(address + " is ill"));
      case NEVER_ANSWERS -> {}
    }
    return answer;
  }

  @Override
  public CompletableFuture<List<DatasetStatus>> status(String address) {
    DatasetService node = nodes.get(address);
    return node == null
        ? CompletableFuture.failedFuture(new UnavailableException(address + " is gone"))
        : CompletableFuture.completedFuture(node.ownStatus());
  }
}
