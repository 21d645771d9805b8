package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.TabletInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Tablet tables: three servers on one directory that all share, each tablet with one owner. */
record TabletSide() implements ReplicaSide {
  @Override
  public String name() {
    return "tablet";
  }

  @Override
  public Map<String, String> facts() {
    return Map.of(
        name(), "3 servers on one directory that all share; the metastore's process leads");
  }

  /** A server that is gone is missed at the end of its session. */
  @Override
  public TableServers start(Path directory, Duration deadAfter) throws Exception {
    return new Running(directory);
  }

  private static final class Running extends StartedServers {
    Running(Path directory) throws Exception {
      super(
          directory,
          "metastore,master",
          "tables",
          List.of(
              "tables.shared=true",
              "tables.files=" + directory.resolve("files"),
              "tables.split-at=1TiB", // but for the split that is measured
              "master.balance=false"));
    }

    @Override
    public void create(String table, List<Bytes> splits) throws Exception {
      await("all servers", () -> liveServers() == SERVERS);
      await("table " + table, () -> create(table, schema(), splits));
      await("all tablets of " + table, () -> isSettled(table));
      spread(table);
    }

    private int liveServers() {
      return client(0).cluster().status().servers().size();
    }

    /** One tablet on each server, as far as there are so many. */
    private void spread(String table) {
      List<String> addresses = addresses();
      List<TabletInfo> tablets = client(0).tables().tablets(table);
      for (int i = 0; i < tablets.size(); i++) {
        String address = addresses.get((SERVERS - 1 + i) % SERVERS);
        if (!tablets.get(i).location().equals(address)) {
          Bytes row = tablets.get(i).last().orElse(tablets.get(i).first().successor());
          var _ = client(0).cluster().move(table, row, address);
        }
      }
    }

    @Override
    public CompletableFuture<?> write(
        String table, Acks acks, int through, Bytes row, Bytes value) {
      return apply(client(through).rows(), table, row, value);
    }

    @Override
    public boolean isSettled(String table) {
      return holds(
          () ->
              client(0).tables().tablets(table).stream()
                  .noneMatch(tablet -> tablet.location().isEmpty()));
    }

    @Override
    public boolean isIdentical(String table) {
      return true; // there is one of everything
    }

    @Override
    public void split(String table) {
      TabletInfo only = client(0).tables().tablets(table).getFirst();
      Bytes row = Bytes.utf8("8");
      Bytes within = only.last().orElse(row);
      var _ = client(0).tables().split(table, within, row);
    }

    @Override
    public boolean hasParts(String table, int count) {
      return holds(() -> client(0).tables().tablets(table).size() == count && isSettled(table));
    }

    @Override
    void awaitSpare() throws Exception {
      await("a spare server", () -> liveServers() == SERVERS + 1);
    }
  }
}
