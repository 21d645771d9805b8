package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.RowSample;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletLocation;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.Coordination.Kept;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import io.stele.replicas.metadata.TableConfig;
import io.stele.replicas.placement.Placement;
import io.stele.replicas.push.LocalReplica;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/** Tables as a whole: any server makes, changes and drops them. */
final class Administration {
  private static final int LONGEST_NAME = 255;
  private static final int SAMPLES = 16; // of each partition
  private static final int MOST_TRIES = 20;

  private final Machinery machinery;
  private final Gathering gathering;
  private final Placement placement;

  Administration(Machinery machinery) {
    this.machinery = machinery;
    this.gathering = new Gathering(machinery);
    this.placement = new Placement(machinery.random());
  }

  // ---- making, changing, dropping

  void create(String name, TableSchema schema, List<Bytes> splits) {
    checkName(name);
    checkSchema(name, schema);
    if (machinery.parts().coordination.table(name).isPresent()) {
      throw machinery.exists(name);
    }
    Replication replication = schema.replication().orElseThrow();
    List<LiveServer> live = machinery.parts().coordination.servers();
    String id = RandomNames.next(machinery.random());
    String txn = RandomNames.next(machinery.random());
    List<Partition> partitions = new ArrayList<>();
    Bytes first = Bytes.EMPTY;
    for (int i = 0; i <= splits.size(); i++) {
      Optional<Bytes> last = i < splits.size() ? Optional.of(splits.get(i)) : Optional.empty();
      if (last.isPresent() && last.get().compareTo(first) <= 0) {
        throw new InvalidRequestException(
            "split at \"" + last.get() + "\" behind \"" + first + "\": must ascend");
      }
      partitions.add(
          new Partition(
              RandomNames.next(machinery.random()),
              first,
              last,
              assignments(placement.choose(replication.replicas(), live)),
              List.of(),
              Optional.empty()));
      first = last.orElse(Bytes.EMPTY);
    }
    List<String> keepers =
        placement.order(live, Set.of(), List.of()).stream()
            .limit(machinery.settings().keeper().metadataServers())
            .map(LiveServer::id)
            .toList();
    boolean made =
        machinery
            .metadata()
            .create(
                new TableConfig(name, id, schema, txn, keepers),
                new Metadata(id, txn, 1, partitions));
    if (!made) {
      throw machinery.exists(name);
    }
  }

  private List<Assignment> assignments(List<LiveServer> servers) {
    return servers.stream()
        .map(each -> new Assignment(each.id(), RandomNames.next(machinery.random())))
        .toList();
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > LONGEST_NAME) {
      throw new InvalidRequestException(
          "table name of " + bytes + " bytes: must be 1 to " + LONGEST_NAME);
    }
    boolean unclean =
        name.codePoints()
            .anyMatch(
                c ->
                    Character.isISOControl(c)
                        || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    if (unclean) {
      throw new InvalidRequestException(
          "table name \""
              + name
              + "\": must have no control character and no half of a surrogate pair");
    }
    if (name.equals("META0") || name.equals("META1")) {
      throw new InvalidRequestException(
          "table name \"" + name + "\" is reserved: it holds the tablets of tablet tables");
    }
  }

  private static void checkSchema(String name, TableSchema schema) {
    if (schema.replication().isEmpty()) {
      throw new InvalidRequestException(
          "table \"" + name + "\" without replication: a replicated table must have it");
    }
    if (schema.groups().size() != 1) {
      throw new InvalidRequestException(
          "table \""
              + name
              + "\" with the groups "
              + schema.groups().stream().map(GroupSchema::name).toList()
              + ": replicated tables keep all families in one group");
    }
  }

  void alter(String name, Optional<TableSchema> expected, TableSchema schema) {
    checkSchema(name, schema);
    checkEnoughServers(name, schema.replication().orElseThrow().replicas());
    TableConfig changed =
        change(
            name,
            config -> {
              if (expected.isPresent() && !expected.get().equals(config.schema())) {
                throw new ConflictException(
                    "the schema of table \"" + name + "\" was changed since it was read");
              }
              return config.withSchema(schema);
            });
    tell(changed.id());
  }

  /** More replicas than there are servers would never come to be. */
  private void checkEnoughServers(String name, int replicas) {
    int now = kept(name).config().schema().replication().orElseThrow().replicas();
    int live = machinery.parts().coordination.servers().size();
    if (replicas > now && replicas > live) {
      throw new InvalidRequestException(
          "table \""
              + name
              + "\" has "
              + now
              + " replicas: "
              + replicas
              + " need as many servers, and "
              + live
              + " are live");
    }
  }

  private TableConfig change(String name, UnaryOperator<TableConfig> change) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      Kept kept = kept(name);
      TableConfig changed = change.apply(kept.config());
      try {
        if (machinery.parts().coordination.replace(changed, kept.version())) {
          return changed;
        }
      } catch (OutcomeUnknownException e) {
        // To do it again does no harm.
      }
    }
    throw new ConflictException(
        "table \"" + name + "\" was changed by others during each of " + MOST_TRIES + " tries");
  }

  private Kept kept(String name) {
    return machinery
        .parts()
        .coordination
        .table(name)
        .orElseThrow(() -> new NotFoundException("table \"" + name + "\" does not exist"));
  }

  void drop(String name) {
    Kept first =
        machinery
            .parts()
            .coordination
            .table(name)
            .or(() -> unlisted(name))
            .orElseThrow(() -> new NotFoundException("table \"" + name + "\" does not exist"));
    Set<String> servers = servers(first.config().id());
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      Optional<Kept> kept =
          machinery
              .parts()
              .coordination
              .table(name)
              .filter(each -> each.config().id().equals(first.config().id()));
      long version = kept.map(Kept::version).orElse(Coordination.UNLISTED);
      try {
        boolean done = // by this call, whose answer was lost, or by another
            kept.isEmpty() && machinery.parts().coordination.isDropped(first.config().id());
        if (done || machinery.parts().coordination.drop(first.config(), version)) {
          break;
        }
      } catch (OutcomeUnknownException e) {
        // Looked at again.
      }
    }
    servers.forEach(server -> tell(server, first.config().id()));
  }

  /** A table that the coordination service has lost, and this server knows. */
  private Optional<Kept> unlisted(String name) {
    return machinery
        .cache()
        .table(name)
        .map(known -> new Kept(known.config(), Coordination.UNLISTED));
  }

  /** Lets all servers of a table look for what is new; those that do not hear of it poll. */
  private void tell(String table) {
    machinery.cache().refresh(table);
    servers(table).forEach(server -> tell(server, table));
  }

  private void tell(String server, String table) {
    try {
      if (server.equals(machinery.id())) {
        machinery.metadata().changed(table);
      } else {
        machinery
            .address(server)
            .ifPresent(address -> machinery.parts().peers.metadata(address).changed(table));
      }
    } catch (SteleException e) {
      // It looks for itself, in time.
    }
  }

  private Set<String> servers(String table) {
    Set<String> servers = new TreeSet<>();
    machinery
        .cache()
        .byId(table)
        .ifPresent(
            known -> {
              servers.addAll(known.metadata().servers());
              servers.addAll(known.config().metadataServers());
            });
    return servers;
  }

  /** Makes a live server one of the metadata servers of a table. */
  void joinMetadata(String name, String server) {
    MetadataCache.Known known = machinery.table(name);
    LiveServer found =
        live(server)
            .orElseThrow(
                () ->
                    new NotFoundException(
                        "no live server has the id or address \""
                            + server
                            + "\": live are "
                            + machinery.cache().servers().stream()
                                .map(each -> each.id() + " at " + each.address())
                                .toList()));
    machinery.parts().peers.metadata(found.address()).join(known.config().id());
    tell(known.config().id());
  }

  /** Takes a server, live or not, out of the metadata servers of a table. */
  void removeMetadata(String name, String server) {
    TableConfig config = machinery.newest(name).config();
    String id = live(server).map(LiveServer::id).orElse(server);
    if (!config.metadataServers().contains(id)) {
      throw new InvalidRequestException(
          "server \""
              + server
              + "\" is no metadata server of table \""
              + name
              + "\", which has "
              + config.metadataServers());
    }
    machinery.metadata().remove(config.id(), id);
    tell(config.id());
  }

  private Optional<LiveServer> live(String server) {
    return machinery.cache().servers().stream()
        .filter(each -> each.id().equals(server) || each.address().equals(server))
        .findFirst();
  }

  /**
   * Takes a server that is lost for good out of all partitions of a table, though those that are
   * left may be no majority of the members.
   *
   * @return a line for each partition, which says what may be lost
   */
  List<String> removeServer(String name, String server) {
    MetadataCache.Known known = machinery.newest(name);
    if (live(server).isPresent()) {
      throw new InvalidRequestException(
          "server \"" + server + "\" is live: only one that is lost for good can be removed");
    }
    List<String> lines = new ArrayList<>();
    for (Partition partition : known.metadata().partitions()) {
      List<Assignment> lost =
          partition.assignments().stream().filter(each -> each.server().equals(server)).toList();
      if (!lost.isEmpty()) {
        lines.add(removeFrom(known, partition, lost));
      }
    }
    if (lines.isEmpty()) {
      throw new InvalidRequestException(
          "server \""
              + server
              + "\" has no part of table \""
              + name
              + "\", whose servers are "
              + known.metadata().servers());
    }
    return lines;
  }

  private String removeFrom(MetadataCache.Known known, Partition partition, List<Assignment> lost) {
    List<String> ids = lost.stream().map(Assignment::id).toList();
    machinery
        .metadata()
        .requester()
        .change(
            known.config().id(),
            valid ->
                valid
                    .partition(partition.id())
                    .filter(each -> each.assignments().stream().anyMatch(a -> ids.contains(a.id())))
                    .map(_ -> new MetadataChange.Leave(partition.id(), ids)));
    List<Assignment> left =
        partition.members().stream().filter(each -> !lost.contains(each)).toList();
    long live = left.stream().filter(each -> machinery.isLive(each.server())).count();
    int majority = Acks.MAJORITY.of(partition.members().size());
    return "partition "
        + partition.id()
        + ": "
        + left.size()
        + " members left, "
        + live
        + " of them live"
        + (live >= majority
            ? "; a majority of the "
                + partition.members().size()
                + " before lives, so nothing that a majority acknowledged is lost"
            : "; fewer than a majority of the "
                + partition.members().size()
                + " before: writes that only lost servers had acknowledged are lost");
  }

  /** Flushes, or compacts, all replicas of a table. */
  void upkeep(String name, boolean compact) {
    MetadataCache.Known known = machinery.table(name);
    List<Assignment> servers =
        known.metadata().servers().stream().map(each -> new Assignment(each, "any")).toList();
    gathering
        .ask(servers, peer -> peer.upkeep(known.config().id(), compact).thenApply(_ -> true))
        .stream()
        .filter(each -> each.value().isEmpty())
        .findFirst()
        .ifPresent(
            failed -> {
              throw new UnavailableException(
                  "server "
                      + failed.from().server()
                      + " did not write its replicas of table \""
                      + name
                      + "\": "
                      + failed.problem());
            });
  }

  /** Begins to split the partition with a row, at a member of it. */
  Bytes split(String name, Bytes at, Bytes row) {
    MetadataCache.Known known = machinery.table(name);
    Partition partition = known.metadata().partitionOf(row.isEmpty() ? at : row);
    SteleException last =
        new UnavailableException("no member of partition " + partition.id() + " lives");
    List<Assignment> order = new ArrayList<>(partition.members());
    order.sort(Comparator.comparing(each -> !each.server().equals(machinery.id())));
    for (Assignment member : order) {
      Optional<ReplicaPeer> peer = machinery.peer(member.server());
      if (peer.isPresent()) {
        try {
          return peer.get().split(known.config().id(), partition.id(), row).join();
        } catch (CompletionException e) {
          if (!(e.getCause() instanceof SteleException failure)) {
            throw e;
          }
          last = failure;
          if (!(failure instanceof UnavailableException
              || failure instanceof NotServingException)) {
            throw failure; // another would say the same
          }
        }
      }
    }
    throw last;
  }

  // ---- looking

  List<String> list() {
    return machinery.parts().coordination.tables().stream()
        .map(each -> each.config().name())
        .sorted()
        .toList();
  }

  List<TabletLocation> locate(String name, Bytes row, int most) {
    MetadataCache.Known known = machinery.table(name);
    List<TabletLocation> locations = new ArrayList<>();
    for (Partition partition : known.metadata().partitions()) {
      boolean before = partition.last().isPresent() && partition.last().get().compareTo(row) < 0;
      if (!before && locations.size() < most) {
        locations.add(
            new TabletLocation(partition.first(), partition.last(), addressOf(partition)));
      }
    }
    return locations;
  }

  /** This server if it is a member; else one that lives; empty if none does. */
  private String addressOf(Partition partition) {
    boolean here =
        partition.members().stream().anyMatch(each -> each.server().equals(machinery.id()));
    if (here && machinery.host().replica(partition.id()).isPresent()) {
      return machinery.parts().address;
    }
    List<String> live =
        partition.members().stream()
            .map(Assignment::server)
            .filter(each -> !each.equals(machinery.id()))
            .flatMap(each -> machinery.address(each).stream())
            .toList();
    return live.isEmpty() ? "" : live.get(machinery.random().nextInt(live.size()));
  }

  List<TabletInfo> tablets(String name) {
    MetadataCache.Known known = machinery.table(name);
    List<TabletInfo> infos = new ArrayList<>();
    for (Partition partition : known.metadata().partitions()) {
      long bytes =
          gathering
              .ask(partition.members(), peer -> peer.progress(known.config().id(), partition.id()))
              .stream()
              .flatMap(each -> each.value().stream())
              .flatMap(List::stream)
              .mapToLong(Push.Progress::bytes)
              .max()
              .orElse(0);
      String address = addressOf(partition);
      infos.add(
          new TabletInfo(
              name,
              partition.first(),
              partition.last(),
              address.isEmpty() ? 0 : 5,
              address.isEmpty()
                  ? "no replica live"
                  : partition.split().isPresent() ? "splitting" : "serving",
              address,
              0,
              bytes,
              List.of()));
    }
    return infos;
  }

  List<RowSample> sampleRows(String name) {
    MetadataCache.Known known = machinery.table(name);
    List<RowSample> samples = new ArrayList<>();
    Set<Bytes> told = new HashSet<>();
    long offset = 0;
    for (Partition partition : known.metadata().partitions()) {
      Optional<LocalReplica> replica = machinery.host().replica(partition.id());
      if (replica.isPresent()) {
        List<Bytes> cuts = replica.get().store().cuts(partition.rows(), SAMPLES);
        long piece = replica.get().store().bytes() / (cuts.size() + 1);
        for (Bytes cut : cuts) {
          offset += piece;
          if (told.add(cut)) {
            samples.add(new RowSample(cut, offset));
          }
        }
        offset += piece;
      }
      if (partition.last().isPresent() && told.add(partition.last().get())) {
        samples.add(new RowSample(partition.last().get(), offset));
      }
    }
    samples.add(new RowSample(Bytes.EMPTY, offset));
    return samples;
  }
}
