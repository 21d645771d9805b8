package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Replicas.PartitionStatus;
import io.stele.base.table.Tables;
import io.stele.bench.process.SteleServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Replicated tables: three servers, each with a disk of its own and a replica of everything. */
record ReplicatedSide() implements ReplicaSide {
  @Override
  public String name() {
    return "replicated";
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        SteleServers.NAME,
        "%s: a metastore and %d servers as processes, for each kind of table, each change synced"
            .formatted(version(), TableServers.SERVERS));
    facts.put(SteleServers.NAME + " flags", StartedServers.flags());
    facts.put(
        name(), "3 replicas on 3 servers, each with a directory of its own; not split by size");
    return facts;
  }

  @Override
  public TableServers start(Path directory, Duration deadAfter) throws Exception {
    return new Running(directory, deadAfter);
  }

  private static final class Running extends StartedServers {
    private final List<Map<Acks, Tables>> levels;

    Running(Path directory, Duration deadAfter) throws Exception {
      super(
          directory,
          "metastore",
          "replicas",
          List.of("replicas.dead-after=" + deadAfter.toMillis() + "ms"));
      this.levels = IntStream.range(0, SERVERS).mapToObj(this::levels).toList();
    }

    private Map<Acks, Tables> levels(int server) {
      Map<Acks, Tables> tables = new EnumMap<>(Acks.class);
      for (Acks acks : Acks.values()) {
        tables.put(acks, client(server).rows().at(Consistency.DEFAULT.withAcks(acks)));
      }
      return tables;
    }

    @Override
    public void create(String table, List<Bytes> splits) throws Exception {
      create(table, SERVERS, splits);
      await("all replicas of " + table, () -> isSettled(table));
    }

    /** It takes as many live servers as it is to have replicas. */
    private void create(String table, int replicas, List<Bytes> splits) throws Exception {
      TableSchema schema = schema().withReplication(Replication.of(replicas).withSplitBytes(0));
      await("table " + table + " on " + replicas + " servers", () -> create(table, schema, splits));
    }

    @Override
    public CompletableFuture<?> write(
        String table, Acks acks, int through, Bytes row, Bytes value) {
      return apply(
          levels.get(through).getOrDefault(acks, client(through).rows()), table, row, value);
    }

    private List<PartitionStatus> partitions(String table) {
      return client(0).replicas().status(table).partitions();
    }

    @Override
    public boolean isSettled(String table) {
      return holds(() -> partitions(table).stream().allMatch(Running::isSettled));
    }

    private static boolean isSettled(PartitionStatus partition) {
      return partition.splitAt().isEmpty()
          && partition.replicas().size() == SERVERS
          && partition.replicas().stream()
              .allMatch(
                  replica ->
                      replica.role().equals("serving")
                          && replica.problem().isEmpty()
                          && replica.behind().stream()
                              .allMatch(to -> to.confirmed() >= to.sequence()));
    }

    @Override
    public boolean isIdentical(String table) {
      return client(0).replicas().verify(table, RowRange.ALL).isEmpty();
    }

    @Override
    public void split(String table) {
      Bytes middle = partitions(table).getFirst().first();
      var _ = client(0).replicas().split(table, middle, Bytes.EMPTY);
    }

    @Override
    public boolean hasParts(String table, int count) {
      return holds(
          () -> {
            List<PartitionStatus> partitions = partitions(table);
            return partitions.size() == count
                && partitions.stream().allMatch(partition -> partition.splitAt().isEmpty());
          });
    }

    @Override
    void awaitSpare() throws Exception {
      String probe = "spare";
      create(probe, SERVERS + 1, List.of());
      drop(probe);
    }
  }
}
