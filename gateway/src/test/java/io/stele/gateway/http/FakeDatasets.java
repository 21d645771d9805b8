package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.Origin;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.error.NotFoundException;
import io.stele.datasets.serve.DatasetService;
import io.stele.datasets.serve.Glance;
import io.stele.datasets.serve.LargeValue;
import io.stele.datasets.serve.OpenedLookup;
import io.stele.datasets.serve.PeerAnswer;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One dataset, {@code scores}, of which one version is served and another is being loaded. */
final class FakeDatasets implements DatasetService {
  static final String DATASET = "scores";

  /** A number of shards that it does not have. */
  static final int OTHER_SHARDS = 99;

  static final String VERSION = "v1";
  static final String NEXT = "v2";
  static final long LOADED = 1_762_500_000_123_456L; // Fri, 07 Nov 2025 07:20:00 GMT

  final Map<Bytes, Bytes> values = new ConcurrentHashMap<>();

  /** Keys that are elsewhere, and what becomes of looking for them. */
  final Map<Bytes, Lookup> elsewhere = new ConcurrentHashMap<>();

  final List<DatasetStatus> more = new CopyOnWriteArrayList<>();
  final List<Thread> gets = new CopyOnWriteArrayList<>();

  /** Keys whose pages are not in memory, and what reading them is like. */
  final Map<Bytes, Runnable> onDisk = new ConcurrentHashMap<>();

  /** How all keys are looked up elsewhere; null for {@link #get}. */
  volatile @Nullable Function<Bytes, OpenedLookup> opening;

  volatile boolean nothingServed;
  volatile boolean empty; // without a look at the source

  FakeDatasets put(Bytes key, Bytes value) {
    values.put(key, value);
    return this;
  }

  static Origin origin(String proxiedTo) {
    return new Origin(VERSION, LOADED, proxiedTo);
  }

  private void check(String dataset) {
    if (!dataset.equals(DATASET)) {
      throw new NotFoundException("there is no dataset " + dataset);
    }
  }

  @Override
  public Glance<OpenedLookup> glance(String dataset, Bytes key) {
    check(dataset);
    Function<Bytes, OpenedLookup> opens = opening;
    if (opens != null) {
      return new Glance.Asked<>(
          CompletableFuture.supplyAsync(() -> opens.apply(key), Thread::startVirtualThread));
    }
    if (onDisk.containsKey(key)) {
      return new Glance.OnDisk<>(
          () -> CompletableFuture.completedFuture(new OpenedLookup.Whole(get(dataset, key))));
    }
    return elsewhere.containsKey(key)
        ? new Glance.Asked<>(
            CompletableFuture.supplyAsync(
                () -> new OpenedLookup.Whole(get(dataset, key)), Thread::startVirtualThread))
        : new Glance.Known<>(new OpenedLookup.Whole(here(key)));
  }

  @Override
  public Glance<PeerAnswer> glanceForPeer(String dataset, String version, int shards, Bytes key) {
    Bytes value = values.get(key);
    if (value != null && value.length() > LargeValue.THRESHOLD) {
      return new Glance.Known<>(
          new PeerAnswer.Large(
              new LargeValue(value.length(), new ByteArrayInputStream(value.sharedArray()))));
    }
    return onDisk.containsKey(key)
        ? new Glance.OnDisk<>(
            () -> CompletableFuture.completedFuture(fromDisk(dataset, version, shards, key)))
        : new Glance.Known<>(answerPeer(dataset, version, shards, List.of(key)).getFirst());
  }

  private PeerAnswer fromDisk(String dataset, String version, int shards, Bytes key) {
    gets.add(Thread.currentThread());
    onDisk.get(key).run();
    return answerPeer(dataset, version, shards, List.of(key)).getFirst();
  }

  private Lookup here(Bytes key) {
    Bytes value = values.get(key);
    return value == null ? new Lookup.Missing(origin("")) : new Lookup.Found(value, origin(""));
  }

  @Override
  public Lookup get(String dataset, Bytes key) {
    check(dataset);
    gets.add(Thread.currentThread());
    onDisk.getOrDefault(key, () -> {}).run();
    Lookup other = elsewhere.get(key);
    return other == null ? here(key) : other;
  }

  static OpenedLookup found(Bytes value, String proxiedTo) {
    return new OpenedLookup.Whole(new Lookup.Found(value, origin(proxiedTo)));
  }

  @Override
  public List<Lookup> mget(String dataset, List<Bytes> keys) {
    check(dataset);
    return keys.stream().map(key -> get(dataset, key)).toList();
  }

  @Override
  public List<PeerAnswer> answerPeer(String dataset, String version, int shards, List<Bytes> keys) {
    List<PeerAnswer> answers = new ArrayList<>();
    for (Bytes key : keys) {
      if (!dataset.equals(DATASET)
          || !version.equals(VERSION)
          || shards == OTHER_SHARDS
          || elsewhere.containsKey(key)) {
        answers.add(new PeerAnswer.NotHere("no " + dataset + " " + version + " here"));
      } else {
        Bytes value = values.get(key);
        answers.add(value == null ? new PeerAnswer.Missing() : new PeerAnswer.Found(value));
      }
    }
    return answers;
  }

  @Override
  public String address() {
    return "node-1:9599";
  }

  @Override
  public List<String> list() {
    return List.of(DATASET);
  }

  @Override
  public List<DatasetStatus> status() {
    return all(
        List.of(
            node("node-1:9599", VersionState.ACTIVE, List.of(0, 1, 3)),
            node("node-2:9599", VersionState.ACTIVE, List.of(0, 1, 2))));
  }

  @Override
  public DatasetStatus status(String dataset) {
    check(dataset);
    return status().getFirst();
  }

  @Override
  public List<DatasetStatus> ownStatus() {
    return all(List.of(node("node-1:9599", VersionState.ACTIVE, List.of(0, 1, 3))));
  }

  private List<DatasetStatus> all(List<NodeVersion> nodes) {
    List<DatasetStatus> all = new ArrayList<>();
    if (empty) {
      return all;
    }
    all.add(
        new DatasetStatus(
            DATASET,
            nothingServed ? "" : VERSION,
            "",
            List.of(
                new VersionStatus(VERSION, "/in/scores/v1", 5, 2, Map.of(0, 1, 1, 2, 2, 2), nodes),
                new VersionStatus(
                    NEXT,
                    "/in/scores/v2",
                    3,
                    2,
                    Map.of(0, 3),
                    List.of(
                        new NodeVersion(
                            "node-1:9599",
                            VersionState.ERROR,
                            "part-1 <ends> early",
                            false,
                            List.of(),
                            new LoadProgress(10, 50, 200, 1, 3),
                            LOADED,
                            0)))),
            ""));
    all.addAll(more);
    return all;
  }

  private NodeVersion node(String address, VersionState state, List<Integer> shards) {
    return new NodeVersion(
        address,
        nothingServed ? VersionState.BUILDING : state,
        "",
        !nothingServed,
        shards,
        new LoadProgress(100, 1000, 1000, 3, 3),
        LOADED,
        nothingServed ? 0 : LOADED + 5_000_000);
  }

  @Override
  public boolean looked() {
    return !empty;
  }

  @Override
  public boolean healthy() {
    return !nothingServed;
  }

  @Override
  public void refresh() {}

  @Override
  public void pin(String dataset, String version) {}

  @Override
  public void unpin(String dataset) {}

  @Override
  public String rollback(String dataset) {
    return VERSION;
  }

  @Override
  public Optional<String> pinned(String dataset) {
    return Optional.empty();
  }
}
