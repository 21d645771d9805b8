package io.stele.datasets.serve;

import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.SteleException;
import io.stele.datasets.shard.Shard;
import io.stele.datasets.version.VersionFiles;
import io.stele.datasets.version.VersionLoad;
import io.stele.datasets.version.VersionRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A version on this node, from when it was found until it is deleted: what it consists of, which
 * shards are here, which are being loaded, and what is published of it. All under the node's lock.
 *
 * <p>What it works on goes one after the other: it looks at the files, or opens what is on disk, or
 * loads, or deletes.
 */
final class HeldVersion {
  private final NodeContext node;
  private final String dataset;
  private final String version;
  private final long createdMicros;
  private final Map<Integer, Shown> published = new HashMap<>(); // by the number of the block
  private @Nullable ServedVersion served; // once it is known how many shards there are
  private SharedMap.@Nullable Children children;
  private Map<String, String> mirrored = Map.of(); // what the map said last
  private @Nullable VersionFiles listed; // once, while files may still be added
  private long listedNanos;
  private @Nullable VersionFiles files;
  private @Nullable VersionRecord record; // once this node has chosen its shards
  private @Nullable Presharding sharding; // of files that are numbered like shards
  private @Nullable VersionLoad load;
  private LoadProgress progress = LoadProgress.NONE;
  private boolean busy;
  private boolean cancelled; // the load that is running
  private boolean removing;
  private boolean gone;
  private boolean closed; // with the node: what is on disk stays
  private String failure = "";
  private int failures;
  private long failedNanos;
  private long activeMicros;

  HeldVersion(NodeContext node, String dataset, String version) {
    this.node = node;
    this.dataset = dataset;
    this.version = version;
    this.createdMicros = node.clock.micros();
  }

  /** A version of which an earlier process has chosen and perhaps loaded shards. */
  HeldVersion(NodeContext node, String dataset, String version, VersionRecord record) {
    this.node = node;
    this.dataset = dataset;
    this.version = version;
    this.createdMicros = record.createdMicros();
    this.record = record;
    begin(record.shards());
    busy = true;
    node.work("opening version " + version + " of " + dataset, () -> openStored(record));
  }

  String version() {
    return version;
  }

  @Nullable ServedVersion served() {
    return served;
  }

  boolean busy() {
    return busy;
  }

  boolean removing() {
    return removing;
  }

  /** Whether it is deleted, and nothing is left to look after. */
  boolean gone() {
    return gone;
  }

  boolean failed() {
    return !failure.isEmpty();
  }

  /** Whether it failed, and it is too early to try again. */
  boolean waits() {
    // Twice as long each time, since a try may read a whole version; up to a quarter of an hour.
    long pause = Math.min(900_000_000_000L, 5_000_000_000L << Math.min(failures, 8));
    return failed() && node.clock.nanos() - failedNanos < pause;
  }

  /** Has it tried again as soon as may be. */
  void forgive() {
    failure = "";
    failures = 0;
  }

  void active() {
    activeMicros = activeMicros == 0 ? node.clock.micros() : activeMicros;
  }

  private void begin(int shards) {
    ServedVersion fresh =
        new ServedVersion(
            dataset, version, shards, createdMicros, node.clock.nanos(), this::damaged);
    served = fresh;
    children = node.map.watch(directory(), node::wake);
  }

  /** Whether the map has ever said who has what. */
  boolean heard() {
    return children != null && children.entries().isPresent();
  }

  /** Takes over what the map says. */
  void mirror() {
    ServedVersion now = served;
    if (now != null && children != null) {
      children
          .entries()
          .filter(entries -> !entries.equals(mirrored))
          .ifPresent(
              entries -> {
                mirrored = Map.copyOf(entries);
                now.holders(Holders.parse(now.shards(), mirrored, node.address));
                if (sharding != null) {
                  sharding.hear(mirrored);
                }
              });
    }
    goOn();
  }

  /** Goes on with a load that has read its files and waits until somebody has read the others. */
  private void goOn() {
    VersionLoad waiting = load;
    if (waiting == null || sharding == null || !waiting.waits()) {
      return;
    }
    Presharding.Verdict verdict = sharding.verdict(node.clock.nanos());
    if (verdict == Presharding.Verdict.CONFIRMED) {
      waiting.confirm();
    } else if (verdict == Presharding.Verdict.NOT_TO_BE_USED
        || !waiting.wanted().containsAll(missing())) {
      cancelLoad(); // the next one reads more
    }
  }

  private void openStored(VersionRecord stored) {
    for (int shard : stored.assigned()) {
      try {
        if (!node.store.has(dataset, version, shard)) {
          continue;
        }
        Shard opened = node.store.open(dataset, version, shard, stored.shards());
        node.locked(() -> ready(opened));
      } catch (IOException | SteleException e) {
        node.publish(
            new DatasetEvent.ShardDamaged(dataset, version, shard, NodeContext.message(e)));
      }
    }
    node.locked(this::free);
  }

  /** Ends what it was busy with. */
  private void free() {
    busy = false;
    if (removing && !closed) {
      delete();
    }
  }

  private void ready(Shard shard) {
    ServedVersion now = served;
    if (removing || now == null) {
      shard.retire();
      return;
    }
    now.add(shard);
    show(shard.number(), true);
  }

  /** A block of shards, and what the map says of it. */
  private record Shown(ShardBlock block, SharedMap.Published entry) {}

  /** Publishes that a shard is here, or is not here any more. */
  private void show(int shard, boolean here) {
    Shown shown =
        published.computeIfAbsent(
            shard / ShardBlock.SHARDS,
            _ -> {
              ShardBlock block = ShardBlock.of(shard);
              return new Shown(
                  block, node.map.publish(directory() + "/" + block.name(node.address), ""));
            });
    shown.block.set(shard, here);
    shown.entry.set(shown.block.value());
  }

  private String directory() {
    return "partitions/" + dataset + "/" + version;
  }

  /**
   * A lookup could not read a shard: nobody is sent to it any more, and it is loaded again by the
   * next step. Other nodes answer for it meanwhile.
   */
  private void damaged(Shard shard, CorruptDataException problem) {
    node.locked(
        () -> {
          ServedVersion now = served;
          if (now == null || !now.remove(shard)) {
            return; // told already
          }
          show(shard.number(), false);
          node.publish(
              new DatasetEvent.ShardDamaged(
                  dataset, version, shard.number(), NodeContext.message(problem)));
        });
  }

  /** Finds out what the version consists of. */
  void inspect() {
    if (busy || removing || files != null || waits() || unsettled()) {
      return;
    }
    busy = true;
    node.work(
        "listing version " + version + " of " + dataset,
        () -> {
          try {
            VersionFiles found = node.source.files(dataset, version);
            node.locked(() -> inspected(found));
          } catch (IOException | RuntimeException e) {
            node.locked(() -> fail(NodeContext.message(e)));
          }
        });
  }

  /**
   * Whether it was listed just now, and nobody says that its files are complete. Nodes that list a
   * copy under way at different moments would count different numbers of shards, so it is listed
   * again after some time, until two lists are equal.
   */
  private boolean unsettled() {
    return listed != null
        && node.clock.nanos() - listedNanos < node.settings.secondLook().toNanos();
  }

  private void inspected(VersionFiles found) {
    free();
    if (removing) {
      return;
    }
    failure = "";
    ServedVersion now = served;
    if (now == null && !found.finished() && !found.equals(listed)) {
      listed = found;
      listedNanos = node.clock.nanos();
    } else if (now == null) {
      take(found);
      begin(found.shards());
    } else if (now.shards() == found.shards()) {
      take(found);
    } else {
      fail(
          "it has "
              + found.shards()
              + " files now, and had "
              + now.shards()
              + " when it was first seen: versions must not change");
    }
  }

  private void take(VersionFiles found) {
    files = found;
    int count = found.shards();
    if (sharding == null
        && count <= Presharding.MOST_FILES
        && !found.sharded()
        && !found.numbers().isEmpty()) {
      // Twice that may pass before all nodes have seen a version; then shards that nobody has are
      // dealt again.
      Duration patience = node.settings.timeToConverge().multipliedBy(3);
      sharding = new Presharding(node.map, directory(), node.address, count, patience);
      sharding.hear(mirrored);
    }
  }

  /** The shards that this node should have and has not. */
  SortedSet<Integer> missing() {
    SortedSet<Integer> missing = new TreeSet<>();
    VersionRecord chosen = record;
    ServedVersion now = served;
    if (chosen != null && now != null) {
      missing.addAll(chosen.assigned());
      missing.removeAll(now.heldShards());
    }
    return missing;
  }

  boolean assigned() {
    return record != null;
  }

  /** Chooses the shards that this node is to have, those that it has included. */
  void assign(SortedSet<Integer> shards) {
    ServedVersion now = served;
    if (now != null) {
      record = new VersionRecord(now.shards(), List.copyOf(shards), createdMicros);
    }
  }

  SortedSet<Integer> assignment() {
    return record == null ? new TreeSet<>() : new TreeSet<>(record.assigned());
  }

  /** Loads what is missing, if something is. */
  void load() {
    SortedSet<Integer> missing = missing();
    VersionRecord chosen = record;
    if (busy || removing || missing.isEmpty() || waits() || chosen == null) {
      return;
    }
    VersionFiles found = files;
    if (found == null) {
      inspect();
      return;
    }
    busy = true;
    cancelled = false;
    VersionLoad.Mode mode = VersionLoad.Mode.CERTAIN;
    if (sharding != null
        && missing.size() < found.shards()
        && sharding.verdict(node.clock.nanos()) != Presharding.Verdict.NOT_TO_BE_USED) {
      mode = VersionLoad.Mode.ASSUMED;
      sharding.claim(missing);
    }
    VersionLoad begun = new VersionLoad(node.tools, found, missing, mode, new Loaded(mode));
    load = begun;
    node.work(
        "loading version " + version + " of " + dataset,
        () -> {
          try {
            node.store.begin(dataset, version, chosen);
          } catch (IOException e) {
            node.locked(() -> fail(NodeContext.message(e)));
            return;
          }
          begun.start();
        });
  }

  private final class Loaded implements VersionLoad.Listener {
    private final VersionLoad.Mode mode;

    Loaded(VersionLoad.Mode mode) {
      this.mode = mode;
    }

    @Override
    public void inPlace(Collection<Integer> numbers) {
      node.locked(
          () -> {
            if (sharding != null) {
              sharding.verify(numbers);
            }
          });
    }

    @Override
    public void misplaced(String reason) {
      node.locked(
          () -> {
            if (sharding != null) {
              sharding.refute();
            }
            if (mode == VersionLoad.Mode.ASSUMED) {
              noteProgress();
              free(); // to be loaded from all files
            }
          });
    }

    @Override
    public void ready(Shard shard) {
      node.locked(() -> HeldVersion.this.ready(shard));
    }

    @Override
    public void loaded() {
      node.locked(HeldVersion.this::loaded);
    }

    @Override
    public void failed(String reason) {
      node.locked(() -> loadFailed(reason));
    }
  }

  private void loaded() {
    noteProgress();
    failure = "";
    failures = 0;
    ServedVersion now = served;
    if (!removing && now != null) {
      node.publish(
          new DatasetEvent.VersionLoaded(dataset, version, now.heldShards().size(), now.shards()));
    }
    free();
  }

  /** A load that was given up because a newer version has overtaken it is no failure. */
  private void loadFailed(String reason) {
    if (cancelled) {
      noteProgress();
      free();
    } else {
      fail(reason);
    }
  }

  private void fail(String reason) {
    noteProgress();
    if (!removing) {
      failure = reason;
      failures++;
      failedNanos = node.clock.nanos();
      files = null; // to be listed again
      if (sharding != null) {
        sharding.claim(List.of());
      }
      node.publish(new DatasetEvent.VersionFailed(dataset, version, reason));
    }
    free();
  }

  private void noteProgress() {
    if (load != null) {
      progress = load.progress();
    }
    load = null;
  }

  /** Stops loading; what is loaded stays. */
  void cancelLoad() {
    if (load != null) {
      cancelled = true;
      load.cancel();
    }
  }

  /**
   * Lets go of the version: first nobody hears of it any more, then its shards go with the last
   * lookup that is in them, which is not waited for, and its files as soon as no load writes them.
   */
  void remove() {
    if (removing) {
      return;
    }
    unpublish();
    removing = true;
    cancelLoad();
    if (served != null) {
      served.retireAll();
    }
    if (!busy) {
      delete();
    }
  }

  private void delete() {
    busy = true;
    node.work(
        "deleting version " + version + " of " + dataset,
        () -> {
          try {
            node.store.delete(dataset, version);
          } finally {
            node.locked(() -> gone = true);
            node.publish(new DatasetEvent.VersionRemoved(dataset, version));
          }
        });
  }

  private void unpublish() {
    published.values().forEach(shown -> shown.entry.close());
    published.clear();
    if (sharding != null) {
      sharding.close();
    }
    if (children != null) {
      children.close();
      children = null;
    }
  }

  /** Ends all that goes on, and leaves the files. */
  void close() {
    unpublish();
    closed = true;
    removing = true;
    cancelLoad();
    if (served != null) {
      served.retireAll();
    }
  }

  NodeVersion status(boolean serving) {
    VersionState state =
        removing
            ? VersionState.REMOVING
            : serving || (activeMicros > 0 && !failed())
                ? VersionState.ACTIVE
                : failed() ? VersionState.ERROR : VersionState.BUILDING;
    VersionLoad running = load;
    return new NodeVersion(
        node.address,
        state,
        failure,
        serving,
        served == null ? List.of() : served.heldShards(),
        running == null ? progress : running.progress(),
        createdMicros,
        activeMicros);
  }
}
