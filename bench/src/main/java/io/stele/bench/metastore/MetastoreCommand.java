package io.stele.bench.metastore;

import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele bench metastore}: the metastore beside etcd. */
@Command(
    name = "metastore",
    description = {
      "Measure the metastore beside etcd.",
      "The members of both sides run as processes of their own on this machine, with the same"
          + " durability, and are asked the same in turns, over as many connections. Results that"
          + " end in -m1 or -m3 are of groups of so many members. A ratio above 1 means that Stele"
          + " is better."
    })
public final class MetastoreCommand extends Benchmark<MetastoreCases.Work> {
  private static final String STORE = "store";
  private static final long STORE_KEYS = 20_000_000;
  private static final String COMPACTION = "compaction";
  private static final long COMPACTED_KEYS = 15_000_000;

  /** Cases that start members of their own. */
  private static final Set<String> LARGE = Set.of(STORE, COMPACTION);

  /** Groups of more members than this only make sense on as many machines. */
  private static final int MOST_MEMBERS = 7;

  private final Function<Boolean, MetastoreSide> stele;
  private final Function<String, Peer<MetastoreSide>> peers;

  @Option(
      names = "--members",
      paramLabel = "N",
      split = ",",
      description = "Sizes of the groups that are measured (1,3).")
  private List<Integer> members = new ArrayList<>();

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys of the large store (20,000,000; quick: 200,000).")
  private @Nullable Long keys;

  @Option(
      names = "--compacted-keys",
      paramLabel = "N",
      description =
          "Keys, with values of 1 KiB, of the store that is compacted (15,000,000; quick: 20,000).")
  private @Nullable Long compactedKeys;

  @Option(
      names = "--api",
      paramLabel = "API",
      description = "How Stele is asked: native, or etcd for etcd's API (${DEFAULT-VALUE}).")
  private String api = "native";

  @Option(
      names = "--etcd",
      paramLabel = "PATH",
      description = "The program of the etcd to measure beside (${DEFAULT-VALUE}, on the path).")
  private String etcd = EtcdSide.NAME;

  public MetastoreCommand() {
    this(SteleSide::new, EtcdSide::find);
  }

  /**
   * Of other sides.
   *
   * @param stele Stele's side, asked in etcd's API or not
   * @param peers the peer with a program of this name
   */
  MetastoreCommand(
      Function<Boolean, MetastoreSide> stele, Function<String, Peer<MetastoreSide>> peers) {
    this.stele = stele;
    this.peers = peers;
  }

  @Override
  protected List<Case<MetastoreCases.Work>> cases() {
    List<Case<MetastoreCases.Work>> all = new ArrayList<>(MetastoreCases.all());
    all.add(
        large(
            STORE,
            "a store of %,d keys (--keys) on one member: load, memory, gets, restart, disk"
                .formatted(STORE_KEYS)));
    all.add(
        large(
            COMPACTION,
            "a store of %,d values of a kilobyte (--compacted-keys) whose history is compacted"
                    .formatted(COMPACTED_KEYS)
                + " while clients work"));
    return all;
  }

  private static Case<MetastoreCases.Work> large(String name, String about) {
    return new Case<>(
        name,
        about,
        _ -> {
          throw new IllegalStateException("it needs no groups");
        });
  }

  private List<Integer> sizes() {
    return scaled("--members", members, List.of(1, 3), List.of(1, 3), 1, MOST_MEMBERS);
  }

  private long storeKeys() {
    return scaled("--keys", keys, STORE_KEYS, 200_000, Group.LOAD_BATCH, KeySet.MOST);
  }

  private long storeCompactedKeys() {
    return scaled(
        "--compacted-keys", compactedKeys, COMPACTED_KEYS, 20_000, Group.LOAD_BATCH, KeySet.MOST);
  }

  private boolean asEtcd() {
    return switch (api) {
      case "native" -> false;
      case "etcd" -> true;
      default -> throw mistake("--api is '" + api + "': must be native or etcd");
    };
  }

  /** The large store of one side at a time, its log included, or some history of small groups. */
  @Override
  protected long neededDiskBytes() {
    var _ = asEtcd();
    var _ = sizes();
    return Math.max(storeKeys() * 800, storeCompactedKeys() * 3 * CompactedStore.VALUE_BYTES)
        + (4L << 30);
  }

  @Override
  protected String peerColumn() {
    return "ETCD";
  }

  @Override
  protected void measure(Run run, List<Case<MetastoreCases.Work>> wanted) throws Exception {
    MetastoreSide ours = stele.apply(asEtcd());
    Peer<MetastoreSide> peer = peers.apply(etcd);
    run.fact(
        "scale",
        String.format(
            Locale.ROOT,
            "groups of %s; %,d keys, values of %d bytes; large store of %,d keys; %s; connections:"
                + " 1 for 1 client, else %d",
            sizes().stream().map(String::valueOf).collect(Collectors.joining(" and ")),
            MetastoreCases.KEYS.count(),
            MetastoreCases.KEYS.valueBytes(),
            storeKeys(),
            run.lengths(),
            Group.CONNECTIONS));
    run.facts(ours.facts());
    run.facts(peer.facts());
    List<Case<MetastoreCases.Work>> onGroups =
        wanted.stream().filter(each -> !LARGE.contains(each.name())).toList();
    if (!onGroups.isEmpty()) {
      for (int size : sizes()) {
        run.attempt("groups of " + size, () -> measureGroups(run, ours, peer, size, onGroups));
      }
    }
    Set<String> names = wanted.stream().map(Case::name).collect(Collectors.toSet());
    if (names.contains(STORE)) {
      run.attempt(STORE, () -> new LargeStore(run, peer, storeKeys()).measure(ours));
    }
    if (names.contains(COMPACTION)) {
      run.attempt(
          COMPACTION, () -> new CompactedStore(run, peer, storeCompactedKeys()).measure(ours));
    }
  }

  private void measureGroups(
      Run run,
      MetastoreSide ours,
      Peer<MetastoreSide> peer,
      int size,
      List<Case<MetastoreCases.Work>> wanted)
      throws Exception {
    int warmUpTurns = quick() ? 8 : 16;
    try (MetastoreCases groups = new MetastoreCases(run, ours, peer, size, warmUpTurns)) {
      for (Case<MetastoreCases.Work> each : wanted) {
        run.attempt("%s-m%d".formatted(each.name(), size), () -> each.work().run(groups));
      }
    }
  }
}
