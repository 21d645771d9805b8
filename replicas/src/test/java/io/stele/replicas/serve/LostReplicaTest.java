package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.scan;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Replicas whose directories are lost or damaged, on a server that is not. */
@Execution(ExecutionMode.CONCURRENT)
class LostReplicaTest {
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  private FilePath directory(String name, String table) throws IOException {
    FilePath tables = FilePath.of("tables").resolve(cluster.coordination.config(table).id());
    return cluster.disk(name).list(tables).getFirst().path();
  }

  private static void delete(MemoryFileStore disk, FilePath path) throws IOException {
    for (FileInfo file : disk.list(path)) {
      if (file.directory()) {
        delete(disk, file.path());
      } else {
        disk.delete(file.path());
      }
    }
    disk.delete(path);
  }

  private void awaitEvent(String text) {
    await().until(() -> cluster.events.stream().anyMatch(each -> each.contains(text)));
  }

  @Test
  void aReplicaThatIsGoneDoesNotCountUntilTheOthersHaveFilledIt() throws IOException {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r1", "v1");
    cluster.network.on(call -> call.is("push") && call.to().equals(address("b"))).refuse(100_000);
    cluster.network.on(call -> call.is("repair")).refuse(100_000);
    write(cluster.server("a"), "t", "r2", "v2"); // a and c have it
    cluster.stop("a"); // what it knows of the others is on its disk
    FilePath lost = directory("c", "t");
    cluster.crash("c");
    delete(cluster.disk("c"), lost);
    cluster.start("c");
    await().until(() -> cluster.replicaDirectories("c").size() == 1);
    assertThatThrownBy(() -> get(cluster.server("b").at(MAJORITY), "t", "r2"))
        .as("of the two that had it, one is away and one lost it")
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("1 of the 3 replicas");
    assertThatThrownBy(() -> get(cluster.server("c"), "t", "r1"))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("is being filled by the others");
    assertThat(cluster.server("b").status("t").partitions().getFirst().replicas())
        .anyMatch(each -> each.role().equals("filling"));
    cluster.start("a");
    awaitEvent("has been filled by the others");
    assertThat(get(cluster.server("c"), "t", "r2")).contains("v2");
    assertThat(get(cluster.server("b").at(MAJORITY), "t", "r2")).contains("v2");
    cluster.network.heal();
    cluster.awaitEqual("t");
  }

  private int members() {
    return cluster.metadata("t").partitions().getFirst().members().size();
  }

  @Test
  void theNumberOfReplicasGoesUpAndDown() {
    cluster.start("a", "b", "c").create("t", 1);
    String first =
        cluster.nameOf(cluster.metadata("t").partitions().getFirst().members().getFirst().server());
    write(cluster.server(first), "t", "r", "v");
    cluster.server("a").alter("t", ReplicaCluster.schema(3));
    await().until(() -> members() == 3);
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    write(cluster.server("a"), "t", "r2", "v2");
    cluster.server("b").alter("t", ReplicaCluster.schema(1));
    await().until(() -> members() == 1);
    await() // the others go when the one that is left has everything
        .until(
            () ->
                cluster.servers.keySet().stream()
                        .mapToInt(name -> cluster.replicaDirectories(name).size())
                        .sum()
                    == 1);
    String left =
        cluster.nameOf(cluster.metadata("t").partitions().getFirst().members().getFirst().server());
    assertThat(scan(cluster.server(left), "t")).containsKeys("r", "r2");
  }

  @Test
  void afterTheLossOfAMajorityTheRestGoesOnByForce() {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    String b = cluster.id("b");
    String c = cluster.id("c");
    String a = cluster.id("a");
    assertThatThrownBy(() -> cluster.server("a").removeServer("t", b))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("is live");
    cluster.server("a").joinMetadata("t", a);
    cluster.wipe("b");
    cluster.wipe("c");
    for (String lost : List.of(b, c)) { // they kept the METADATA file too
      cluster.server("a").removeMetadata("t", lost);
    }
    await().until(() -> cluster.server("a").machinery().cache().servers().size() == 1);
    assertThatThrownBy(() -> write(cluster.server("a"), "t", "r", "w"))
        .isInstanceOf(UnavailableException.class);
    assertThat(cluster.server("a").removeServer("t", b))
        .singleElement()
        .asString()
        .contains("2 members left, 1 of them live", "only lost servers had acknowledged are lost");
    assertThat(cluster.server("a").removeServer("t", c)).hasSize(1);
    await().until(() -> cluster.replica("a", "t").metadata().servers().size() == 1);
    write(cluster.server("a"), "t", "r", "w");
    assertThat(get(cluster.server("a").at(MAJORITY), "t", "r")).contains("w");
    assertThatThrownBy(() -> cluster.server("a").removeServer("t", c))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("has no part of table");
  }

  @Test
  void aReplicaThatIsDamagedIsSetAsideAndFilledAndHoldsUpNoOther() throws IOException {
    cluster.start("a", "b", "c");
    cluster.create("t", 3);
    cluster.create("u", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    write(cluster.server("a").at(ALL), "u", "r", "w");
    FilePath damaged = directory("c", "t");
    cluster.crash("c");
    cluster.disk("c").corrupt(damaged.resolve("REPLICA"), 60);
    cluster.start("c");
    cluster.awaitReplicas("u");
    assertThat(get(cluster.server("c"), "u", "r")).contains("w");
    awaitEvent("it was set aside");
    awaitEvent("has been filled by the others");
    assertThat(get(cluster.server("c"), "t", "r")).contains("v");
    assertThat(cluster.disk("c").list(FilePath.of("set-aside"))).hasSize(1);
  }

  /** A file with cells of a replica. */
  private FilePath cells(String name, String table) throws IOException {
    FilePath fragments = directory(name, table).resolve("fragments");
    return cluster.disk(name).list(fragments).getFirst().path();
  }

  private void corrupt(String name) throws IOException {
    cluster.disk(name).corrupt(cells(name, "t"), 8 * 20); // in its first block
  }

  @Test
  void aReplicaThatIsFoundCorruptIsSetAsideAndFilledWhileTheServerRuns() throws IOException {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    cluster.awaitSettled("t"); // a relay would read the corrupt file first
    cluster.server("a").flush("t");
    corrupt("c");
    assertThatThrownBy(() -> get(cluster.server("c"), "t", "r"))
        .as("the client asks another")
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("corrupt data in");
    awaitEvent("it was set aside");
    awaitEvent("has been filled by the others");
    assertThat(get(cluster.server("c"), "t", "r")).contains("v");
    assertThat(cluster.disk("c").list(FilePath.of("set-aside"))).hasSize(1);
    write(cluster.server("c").at(ALL), "t", "r2", "v2");
    cluster.awaitEqual("t");
  }

  @Test
  void ofTwoReplicasThatAreCorruptNeitherIsSetAside() throws IOException {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    cluster.awaitSettled("t"); // a relay would read the corrupt file first
    cluster.server("a").flush("t");
    corrupt("b");
    corrupt("c");
    for (String name : List.of("b", "c")) { // neither could be filled by the other
      assertThatThrownBy(() -> get(cluster.server(name), "t", "r"))
          .isInstanceOf(NotServingException.class);
      await()
          .until(
              () ->
                  cluster.events.stream()
                      .anyMatch(
                          each ->
                              each.startsWith(name + ": ")
                                  && each.contains("is kept, as too few others can fill it")));
      assertThat(cluster.disk(name).list(FilePath.of("set-aside"))).isEmpty();
    }
    assertThat(get(cluster.server("a"), "t", "r")).contains("v");
    write(cluster.server("b"), "t", "r2", "v2"); // they go on with what they can
  }

  @Test
  void theOnlyReplicaIsKeptThoughItIsCorrupt() throws IOException {
    cluster.start("a");
    cluster.create("t", 1);
    write(cluster.server("a"), "t", "r", "v");
    cluster.server("a").flush("t");
    corrupt("a");
    assertThatThrownBy(() -> get(cluster.server("a"), "t", "r"))
        .isInstanceOf(CorruptDataException.class);
    awaitEvent("it is kept, as too few others can fill it now");
    write(cluster.server("a"), "t", "r2", "v2");
  }

  @Test
  void aDirectoryWithoutItsDescriptionIsNotDeleted() throws IOException {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    FilePath damaged = directory("c", "t");
    cluster.crash("c");
    cluster.disk("c").delete(damaged.resolve("REPLICA"));
    cluster.start("c");
    awaitEvent("its directory has no REPLICA file; it was set aside");
    awaitEvent("has been filled by the others");
    assertThat(get(cluster.server("c"), "t", "r")).contains("v");
    assertThat(cluster.disk("c").list(FilePath.of("set-aside"))).hasSize(1);
  }
}
