package io.stele.datasets.serve;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.datasets.version.Source;
import io.stele.datasets.version.VersionRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Looks after one dataset on one node, apart from all others: which versions to open, which to
 * load, which to give to clients and which to let go. {@link #step} decides from what is known now;
 * whatever changes, it is called again. All under the node's lock, but for {@link #serving} and
 * {@link #open}, which lookups read.
 *
 * <p>Invariant: {@code serving} goes to a newer version when that is complete, and to an older one
 * only if the dataset is pinned to it. {@code floor} is what was served last, kept on disk before
 * clients see it, so that a restart does not go back either.
 */
final class DatasetKeeper {
  /** As long as nothing is served, so many of the newest versions may be complete elsewhere. */
  private static final int NEWEST = 3;

  private final NodeContext node;
  private final String dataset;
  private final Map<String, HeldVersion> versions = new TreeMap<>();
  private final Repair repair;
  private final Repair completion;
  private List<String> available = List.of();
  private String problem = "";
  private boolean vanished;
  private final long startNanos;
  private @Nullable String floor;
  private @Nullable String pin;
  private @Nullable String target;
  private volatile @Nullable ServedVersion serving;
  private volatile Map<String, ServedVersion> open = Map.of();

  DatasetKeeper(NodeContext node, String dataset) {
    this.node = node;
    this.dataset = dataset;
    this.repair = Repair.ofServed(node);
    this.completion = Repair.ofNext(node);
    this.startNanos = node.clock.nanos();
  }

  /** Takes over what an earlier process has left on disk. */
  void restore(Map<String, VersionRecord> records, Optional<String> served) {
    floor = served.orElse(null);
    records.forEach(
        (version, record) ->
            versions.put(version, new HeldVersion(node, dataset, version, record)));
  }

  /** The version that clients get. */
  @Nullable ServedVersion serving() {
    return serving;
  }

  /** A version that peers may ask for. */
  @Nullable ServedVersion open(String version) {
    return open.get(version);
  }

  /** Takes over what the source has; nothing if it has the dataset no more. */
  void found(Optional<Source.Found> found, boolean retry) {
    vanished = found.isEmpty();
    available = found.map(Source.Found::versions).orElse(List.of());
    problem = found.map(Source.Found::problem).orElse("");
    if (retry) {
      versions.values().forEach(HeldVersion::forgive);
    }
  }

  void pin(Optional<String> version) {
    pin = version.orElse(null);
  }

  /** All versions that could be served, oldest first. */
  SortedSet<String> known() {
    SortedSet<String> known = new TreeSet<>(available);
    for (HeldVersion version : versions.values()) {
      if (!version.removing() && version.served() != null) {
        known.add(version.version());
      }
    }
    return known;
  }

  /** Whether nothing is left of the dataset, here or in the source. */
  boolean gone() {
    return vanished && versions.isEmpty();
  }

  /** Decides all that can be decided now. */
  void step() {
    versions.values().removeIf(HeldVersion::gone);
    openWanted();
    versions.values().forEach(HeldVersion::mirror);
    target = target();
    versions.values().forEach(this::load);
    switchIfComplete();
    repair();
    retire();
    Map<String, ServedVersion> readable = new TreeMap<>();
    for (HeldVersion version : versions.values()) {
      if (version.served() != null && !version.removing()) {
        version.served().compareAgain(node.clock.nanos());
        readable.put(version.version(), version.served());
      }
    }
    open = Map.copyOf(readable);
  }

  private void repair() {
    ServedVersion now = serving;
    HeldVersion served = now == null ? null : versions.get(now.version());
    if (served != null) {
      repair.step(served);
    }
    HeldVersion next = target == null ? null : versions.get(target);
    if (next != null && next != served && !next.removing()) {
      completion.step(next);
    }
  }

  private void openWanted() {
    Set<String> wanted = new TreeSet<>();
    String last = floor;
    if (pin != null) {
      wanted.add(pin);
    } else {
      available.reversed().stream()
          .filter(version -> last == null || version.compareTo(last) > 0)
          .limit(NEWEST)
          .forEach(wanted::add);
    }
    if (last != null) {
      wanted.add(last);
    }
    wanted.retainAll(available);
    for (String version : wanted) {
      HeldVersion held =
          versions.computeIfAbsent(version, _ -> new HeldVersion(node, dataset, version));
      if (held.served() == null) {
        held.inspect();
      }
    }
  }

  /** The version that is to be had here, whole or in part; an older one if newer ones fail. */
  private @Nullable String target() {
    if (pin != null) {
      return pin;
    }
    for (String version : available.reversed()) {
      HeldVersion held = versions.get(version);
      boolean older = floor != null && version.compareTo(floor) < 0;
      if (!older && held != null && !held.waits()) {
        return version;
      }
    }
    return floor;
  }

  private boolean wanted(HeldVersion version) {
    ServedVersion now = serving;
    return !vanished
        && (version.version().equals(target) || (now != null && now == version.served()));
  }

  private void load(HeldVersion version) {
    ServedVersion served = version.served();
    if (!wanted(version) || served == null || version.removing()) {
      return;
    }
    if (!version.assigned()) {
      Optional<Set<String>> nodes = node.nodes.get();
      if (nodes.isEmpty()) {
        return; // they have not settled
      }
      version.assign(
          Assignment.of(served.shards(), node.settings.replication(), nodes.get(), node.address));
    }
    version.load();
  }

  private void switchIfComplete() {
    HeldVersion best = choose();
    if (best == null || best.served() == serving) {
      return;
    }
    ServedVersion before = serving;
    try {
      if (!best.version().equals(floor)) {
        node.store.serve(dataset, best.version());
      }
    } catch (IOException e) {
      node.publish(
          new DatasetEvent.UpkeepFailed(
              "switching " + dataset + " to version " + best.version(), NodeContext.message(e)));
      return;
    }
    floor = best.version();
    best.active();
    serving = best.served();
    if (before != null) {
      before.keepFrom(node.clock.nanos());
    }
    node.publish(
        new DatasetEvent.VersionSwitched(
            dataset, before == null ? "" : before.version(), best.version()));
  }

  private @Nullable HeldVersion choose() {
    HeldVersion best = null;
    for (HeldVersion version : versions.values()) { // oldest first
      String name = version.version();
      boolean allowed = pin == null ? floor == null || name.compareTo(floor) > 0 : name.equals(pin);
      best = allowed && complete(version) ? version : best;
    }
    HeldVersion last = floor == null ? null : versions.get(floor);
    if (best == null && serving == null && last != null) {
      return complete(last) || again(last) ? last : null;
    }
    return best;
  }

  private boolean complete(HeldVersion version) {
    ServedVersion served = version.served();
    return served != null && !version.removing() && served.complete(node.settings.minReplication());
  }

  /**
   * Whether a version that was served before a restart is served again though it is not complete: a
   * node answers what it can, even if the map is never heard of, rather than nothing or older data.
   */
  private boolean again(HeldVersion version) {
    boolean patient = node.clock.nanos() - startNanos < node.settings.timeToConverge().toNanos();
    return version.served() != null
        && !version.removing()
        && !version.busy()
        && (version.heard() || !patient);
  }

  private void retire() {
    long now = node.clock.nanos();
    for (HeldVersion version : versions.values()) {
      if (version.removing() || !superseded(version)) {
        continue;
      }
      version.cancelLoad();
      ServedVersion served = version.served();
      if (served == null ? !version.busy() : now - served.usedNanos() >= keepNanos()) {
        if (served != null && served == serving) {
          serving = null; // the source has the dataset no more
        }
        version.remove();
      }
    }
  }

  private long keepNanos() {
    return node.settings.keepOld().toNanos();
  }

  /** Whether clients will not be given this version any more. */
  private boolean superseded(HeldVersion version) {
    if (vanished) {
      return true;
    }
    if (wanted(version)) {
      return false;
    }
    if (pin != null) {
      return serving != null && serving.version().equals(pin);
    }
    boolean newer = floor == null || version.version().compareTo(floor) >= 0;
    return newer ? !available.contains(version.version()) : serving != null;
  }

  void close() {
    serving = null;
    open = Map.of();
    versions.values().forEach(HeldVersion::close);
  }

  DatasetStatus status() {
    List<VersionStatus> list = new ArrayList<>();
    SortedSet<String> names = new TreeSet<>(available);
    names.addAll(versions.keySet());
    for (String name : names) {
      list.add(status(name, versions.get(name)));
    }
    ServedVersion now = serving;
    return new DatasetStatus(
        dataset,
        now == null ? "" : now.version(),
        pin == null ? "" : pin,
        list,
        now == null && floor != null && !versions.containsKey(floor)
            ? "version "
                + floor
                + " was served last and is nowhere to be found; pin an older one"
                + " to go back to it"
            : problem);
  }

  private VersionStatus status(String name, @Nullable HeldVersion version) {
    ServedVersion served = version == null ? null : version.served();
    NodeVersion here =
        version == null
            ? new NodeVersion(
                node.address, VersionState.AVAILABLE, "", false, List.of(), LoadProgress.NONE, 0, 0)
            : version.status(served != null && served == serving);
    return new VersionStatus(
        name,
        node.source.describe(dataset, name),
        served == null ? 0 : served.shards(),
        node.settings.replication(),
        served == null ? Map.of() : served.histogram(),
        List.of(here));
  }
}
