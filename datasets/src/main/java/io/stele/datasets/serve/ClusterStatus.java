package io.stele.datasets.serve;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Puts together what the nodes of a cluster say of datasets. */
final class ClusterStatus {
  /** A node that takes longer is left out. */
  private static final long SECONDS = 2;

  private ClusterStatus() {}

  /** What peers say; of those that answer in time. */
  static List<List<DatasetStatus>> ask(DatasetPeer peer, Collection<String> addresses) {
    List<CompletableFuture<List<DatasetStatus>>> requests =
        addresses.stream().map(peer::status).toList();
    try {
      CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new))
          .get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      requests.forEach(request -> request.cancel(true));
    }
    return requests.stream()
        .filter(request -> request.state() == Future.State.SUCCESS)
        .map(CompletableFuture::resultNow)
        .toList();
  }

  /** What this node says, with the others' part of each version added. */
  static List<DatasetStatus> merge(List<DatasetStatus> own, List<List<DatasetStatus>> others) {
    Map<String, DatasetStatus> merged = new TreeMap<>();
    own.forEach(status -> merged.put(status.dataset(), status));
    for (List<DatasetStatus> other : others) {
      for (DatasetStatus status : other) {
        merged.merge(status.dataset(), status, ClusterStatus::merge);
      }
    }
    return List.copyOf(merged.values());
  }

  private static DatasetStatus merge(DatasetStatus own, DatasetStatus other) {
    Map<String, VersionStatus> versions = new TreeMap<>();
    own.versions().forEach(version -> versions.put(version.version(), version));
    other
        .versions()
        .forEach(version -> versions.merge(version.version(), version, ClusterStatus::merge));
    return new DatasetStatus(
        own.dataset(), own.serving(), own.pinned(), List.copyOf(versions.values()), own.problem());
  }

  private static VersionStatus merge(VersionStatus own, VersionStatus other) {
    List<NodeVersion> nodes = new ArrayList<>(own.nodes());
    nodes.addAll(other.nodes());
    VersionStatus known = own.shards() == 0 ? other : own;
    return new VersionStatus(
        own.version(), own.path(), known.shards(), known.replication(), known.histogram(), nodes);
  }
}
