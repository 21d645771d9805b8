package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.settings.ByteSize;
import io.stele.base.time.RandomSource;
import io.stele.datasets.shard.InputKinds;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Nodes of a cluster in one thread: a source in memory, a clock that stands still, and work that
 * runs in an order drawn from a seed.
 */
final class TestCluster implements AutoCloseable {
  static final String SET = "scores";

  final MemoryFileStore source;
  final ManualClock clock = new ManualClock();
  final FakeMap map = new FakeMap();
  final FakePins pins = new FakePins();
  final FakePeers peers = new FakePeers();
  final RandomGenerator random;
  final Map<String, Member> members = new TreeMap<>();
  private final Path data;
  private DatasetSettings settings = settings(2, 1);

  TestCluster(Path data, long seed) {
    this.data = data;
    this.random = RandomSource.seeded(seed);
    this.source = new MemoryFileStore(clock);
  }

  /** A process. */
  final class Member {
    final String address;
    final FakeMap.Client session = map.client();
    final Tasks work = new Tasks();
    final Tasks loads = new Tasks();
    final List<Event> events = new ArrayList<>();
    final DatasetNode node;

    private Member(String address) throws IOException {
      this.address = address;
      Events bus =
          new Events(
              (event, failure) -> {
                throw new AssertionError(event.text(), failure);
              });
      bus.subscribe(Event.class, events::add);
      node =
          DatasetNode.open(
              new DatasetNode.Parts(
                  address,
                  settings,
                  source,
                  InputKinds.onClassPath(),
                  data.resolve(address.replace(':', '_')),
                  session,
                  Optional.of(pins),
                  peers,
                  clock,
                  RandomSource.seeded(random.nextLong()),
                  bus),
              work,
              loads,
              () -> {});
      peers.add(address, node);
    }

    Lookup get(String key) {
      return node.get(SET, Bytes.utf8(key));
    }

    /** The value and the version it is from; or why there is none. */
    String ask(String key) {
      return switch (get(key)) {
        case Lookup.Found found -> found.value().toUtf8();
        case Lookup.Missing missing -> "missing in " + missing.origin().version();
        case Lookup.Failed failed -> failed.failure() + " in " + failed.version();
      };
    }

    String serving() {
      return node.ownStatus().stream()
          .filter(status -> status.dataset().equals(SET))
          .map(status -> status.serving())
          .findFirst()
          .orElse("");
    }

    /** What it has of a version. */
    Optional<NodeVersion> has(String version) {
      return node.ownStatus().stream()
          .filter(status -> status.dataset().equals(SET))
          .flatMap(status -> status.versions().stream())
          .filter(status -> status.version().equals(version))
          .map(status -> status.nodes().getFirst())
          .findFirst();
    }

    /** Its shards of a version. */
    List<Integer> shards(String version) {
      return has(version).map(NodeVersion::shards).orElse(List.of());
    }

    /** Why it does not have a version; empty if nothing is wrong. */
    String reason(String version) {
      return has(version).map(NodeVersion::reason).orElse("");
    }

    /** What it does with a version; nothing if it knows none of that name. */
    Optional<VersionState> state(String version) {
      return has(version).map(NodeVersion::state);
    }

    /** Ends it as a crash does: its sessions end, its work never goes on, its files stay. */
    void kill() throws IOException {
      peers.remove(address);
      session.end();
      work.clear();
      loads.clear();
      node.close();
      members.remove(address);
    }

    private boolean idle() {
      return work.isEmpty() && loads.isEmpty();
    }
  }

  static DatasetSettings settings(int replication, int minReplication) {
    return new DatasetSettings(
        false,
        Duration.ZERO,
        replication,
        minReplication,
        Duration.ZERO,
        Duration.ofMillis(100),
        Duration.ZERO,
        Duration.ofMinutes(10),
        4,
        new ByteSize(0),
        false,
        Duration.ofMinutes(5));
  }

  TestCluster with(DatasetSettings changed) {
    settings = changed;
    return this;
  }

  DatasetSettings settings() {
    return settings;
  }

  Member start(String address) throws IOException {
    Member member = new Member(address);
    members.put(address, member);
    return member;
  }

  /** Starts nodes n1 to nN; none decides anything before all are there. */
  List<Member> start(int count) throws IOException {
    List<Member> started = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      started.add(start("n%02d:1".formatted(i)));
    }
    return started;
  }

  /** Writes a version of shuffled text files: keys k0 to kN, values that name the version. */
  void write(String version, int files, int keys) throws IOException {
    write(SET, version, files, keys);
  }

  void write(String dataset, String version, int files, int keys) throws IOException {
    StringBuilder[] texts = new StringBuilder[files];
    for (int i = 0; i < files; i++) {
      texts[i] = new StringBuilder();
    }
    for (int i = 0; i < keys; i++) {
      texts[i % files].append("k" + i + "\t" + version + ":" + i + "\n");
    }
    for (int i = 0; i < files; i++) {
      file(dataset + "/" + version + "/part-" + i + ".tsv", texts[i].toString());
    }
    finish(dataset + "/" + version);
  }

  /** Says that all files of a version are there. */
  void finish(String version) throws IOException {
    file(version + "/_SUCCESS", "");
  }

  void file(String path, String text) throws IOException {
    source.replace(FilePath.of(path), text.getBytes(StandardCharsets.UTF_8));
  }

  /** Lets every node look for versions, and all of them work until nothing is left to do. */
  void refresh() throws IOException {
    for (Member member : List.copyOf(members.values())) {
      member.node.refresh();
    }
    settle();
  }

  /** Runs steps and work until nothing is left to do. */
  void settle() {
    int quiet = 0;
    for (int i = 0; quiet < 3; i++) {
      if (i > 100_000) {
        throw new AssertionError("never quiet");
      }
      boolean idle = true;
      for (Member member : List.copyOf(members.values())) {
        member.node.step();
        idle &= member.idle();
        while (!member.idle()) {
          member.work.runOne(random);
          member.loads.runOne(random);
        }
      }
      quiet = idle ? quiet + 1 : 0;
    }
  }

  /** Does one thing somewhere: a step, a piece of work, or a delivery of the map. */
  void stumble() {
    List<Member> all = List.copyOf(members.values());
    Member member = all.get(random.nextInt(all.size()));
    switch (random.nextInt(4)) {
      case 0 -> member.node.step();
      case 1 -> member.work.runOne(random);
      case 2 -> member.loads.runOne(random);
      default -> map.deliverOne(random);
    }
  }

  @Override
  public void close() throws IOException {
    for (Member member : List.copyOf(members.values())) {
      member.node.close();
    }
  }
}
