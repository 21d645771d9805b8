package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Replicas;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server of replicated tables that notes what it is asked, and answers the same always. */
final class FakeReplicas {
  static final Assignment A = new Assignment("s1", "a1");
  static final Assignment B = new Assignment("s2", "a2");
  static final Partition.Split SPLIT =
      new Partition.Split(
          bytes("g"),
          new Partition.Half("p2", List.of(new Assignment("s1", "a4"), new Assignment("s2", "a5"))),
          new Partition.Half("p3", List.of(new Assignment("s2", "a6"))));
  static final io.stele.replicas.metadata.Metadata MAP =
      new io.stele.replicas.metadata.Metadata(
          "t1",
          "x9",
          8,
          List.of(
              new Partition(
                  "p1",
                  Bytes.EMPTY,
                  Optional.of(bytes("m")),
                  List.of(A),
                  List.of(
                      new Partition.Joining(B, Optional.of("a1")),
                      new Partition.Joining(new Assignment("s3", "a3"), Optional.empty())),
                  Optional.of(SPLIT)),
              new Partition(
                  "p4",
                  bytes("m"),
                  Optional.empty(),
                  List.of(new Assignment("s2", "a7")),
                  List.of(),
                  Optional.empty())));
  static final Push.Progress PROGRESS =
      new Push.Progress(
          A,
          8,
          41,
          List.of(new Push.Confirmed("a2", 40, 38)),
          2048,
          Optional.of(new Push.Source("p0", "a0", true)),
          true,
          "s1",
          77);
  static final StoredCells STORED =
      new StoredCells(Optional.of(batch(put("r", "f:x", 1, "1"))), Optional.of(bytes("s")));
  static final StoredCells NOTHING = new StoredCells(Optional.empty(), Optional.empty());
  static final Digest DIGEST = new Digest(3, 5, bytes("hash"));
  static final Replicas.Status STATUS =
      new Replicas.Status(
          "t",
          3,
          List.of(
              new Replicas.PartitionStatus(
                  "p1",
                  Bytes.EMPTY,
                  Optional.of(bytes("m")),
                  Optional.of(bytes("g")),
                  List.of(
                      new Replicas.ReplicaStatus(
                          "s1",
                          "h:1",
                          "a1",
                          "serving",
                          41,
                          2048,
                          List.of(new Replicas.Behind("s2", "a2", 40, 41)),
                          "")),
                  Optional.of(Instant.ofEpochSecond(78))),
              new Replicas.PartitionStatus(
                  "p4",
                  bytes("m"),
                  Optional.empty(),
                  Optional.empty(),
                  List.of(),
                  Optional.empty())),
          List.of(new Replicas.Server("s1", "h:1", 10, 20, Optional.of("r1"))));
  static final Replicas.Metadata METADATA =
      new Replicas.Metadata(
          "t",
          "x9",
          8,
          List.of(new Replicas.Server("s1", "", 0, 0, Optional.empty())),
          List.of("a", "b"));
  static final Replicas.Difference DIFFERENCE =
      new Replicas.Difference("p1", bytes("r"), List.of("s1: 1", "s2: 2"));

  final List<Object> asked = new CopyOnWriteArrayList<>();
  volatile Runnable before = () -> {};
  volatile CompletableFuture<Push.Answer> pushed =
      CompletableFuture.completedFuture(new Push.Answer(8, 78, "s1"));

  private void note(Object what) {
    before.run();
    asked.add(what);
  }

  final MetadataPeer metadata =
      new MetadataPeer() {
        @Override
        public Optional<Bytes> fetch(String table, String txn) {
          note("fetch " + table + " " + txn);
          return txn.equals("x9") ? Optional.of(bytes("file")) : Optional.empty();
        }

        @Override
        public void store(String table, String txn, Bytes file) {
          note("store " + table + " " + txn + " " + file.toUtf8());
        }

        @Override
        public void drop(String table, String txn) {
          note("drop " + table + " " + txn);
        }

        @Override
        public io.stele.replicas.metadata.Metadata change(String table, MetadataChange change) {
          note(change);
          return MAP;
        }

        @Override
        public void changed(String table) {
          note("changed " + table);
        }

        @Override
        public void join(String table) {
          note("join " + table);
        }

        @Override
        public List<String> adopt(boolean force) {
          note("adopt " + force);
          return List.of("t: listed");
        }
      };

  final ReplicaPeer replicas =
      new ReplicaPeer() {
        @Override
        public CompletableFuture<Push.Answer> push(Push push) {
          CompletableFuture<Push.Answer> answer = pushed; // a test may replace it once it is noted
          note(push);
          return answer;
        }

        @Override
        public CompletableFuture<List<Push.Progress>> progress(String table, String partition) {
          note("progress " + table + " " + partition);
          return CompletableFuture.completedFuture(List.of(PROGRESS));
        }

        @Override
        public CompletableFuture<Stored> stored(
            String table, String partition, ReadPredicate predicate, int maxBytes) {
          note("stored " + table + " " + partition + " " + predicate + " " + maxBytes);
          return CompletableFuture.completedFuture(
              new Stored(partition.equals("p1") ? STORED : NOTHING, 8, 79));
        }

        @Override
        public CompletableFuture<List<Digest>> digests(
            String table, String partition, RowRange rows, List<Bytes> cuts) {
          note("digests " + table + " " + partition + " " + rows + " " + cuts);
          return CompletableFuture.completedFuture(List.of(DIGEST));
        }

        @Override
        public CompletableFuture<Void> repair(String table, String partition, Bytes cells) {
          note("repair " + table + " " + partition + " " + cells.toUtf8());
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Boolean> fill(
            String table, String partition, Assignment to, String store) {
          note("fill " + table + " " + partition + " " + to + " " + store);
          return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletableFuture<Bytes> split(String table, String partition, Bytes row) {
          note("split " + table + " " + partition + " " + row.toUtf8());
          return CompletableFuture.completedFuture(bytes("g"));
        }

        @Override
        public CompletableFuture<Void> upkeep(String table, boolean compact) {
          note("upkeep " + table + " " + compact);
          return CompletableFuture.completedFuture(null);
        }
      };

  final Replicas people =
      new Replicas() {
        @Override
        public Status status(String table) {
          note("status " + table);
          return STATUS;
        }

        @Override
        public Metadata metadata(String table) {
          note("metadata " + table);
          return METADATA;
        }

        @Override
        public void joinMetadata(String table, String server) {
          note("join metadata " + table + " " + server);
        }

        @Override
        public void removeMetadata(String table, String server) {
          note("remove metadata " + table + " " + server);
        }

        @Override
        public List<String> removeServer(String table, String server) {
          note("remove server " + table + " " + server);
          return List.of("p1: 1 left");
        }

        @Override
        public List<String> adopt(boolean force) {
          note("adopt everywhere " + force);
          return List.of("u: listed");
        }

        @Override
        public Bytes split(String table, Bytes at, Bytes row) {
          note("split " + table + " at " + at.toUtf8() + " row " + row.toUtf8());
          return bytes("k");
        }

        @Override
        public List<Difference> verify(String table, RowRange rows) {
          note("verify " + table + " " + rows);
          return List.of(DIFFERENCE);
        }

        @Override
        public long repair(String table, RowRange rows) {
          note("repair " + table + " " + rows);
          return 7;
        }
      };
}
