package io.stele.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterDriverTest {
  @TempDir private Path temp;

  private MemoryCluster store;
  private Process one;
  private Process two;

  @BeforeEach
  void startServers() throws IOException {
    store = new MemoryCluster(temp, 0);
    one = server("one");
    two = server("two");
  }

  private Process server(String name) throws IOException {
    Process process = new ProcessBuilder("sleep", "600").start();
    Files.writeString(temp.resolve(name + ".pid"), Long.toString(process.pid()));
    return process;
  }

  @AfterEach
  void stopServers() throws InterruptedException {
    one.destroyForcibly().waitFor();
    two.destroyForcibly().waitFor();
  }

  private Sample ask(String request) throws Exception {
    return new ClusterDriver(store).answer(request.split(" ", -1)).orElseThrow();
  }

  private void fill(String table, int records) {
    store.create(table, List.of());
    store.insertAll(
        table,
        IntStream.range(0, records).mapToObj(Records::key).toList(),
        IntStream.range(0, records).mapToObj(i -> new byte[][] {{(byte) i}}).toList());
  }

  @Test
  void aServerIsAwaitedUntilItIsGone() throws Exception {
    assertThat(ask("live 2").runs()).isEqualTo(1);
    one.destroyForcibly().waitFor();
    assertThat(ask("gone one").seconds()).isPositive();
    assertThat(store.servers()).containsExactly("two");
  }

  @Test
  void rowsAreCountedAndProbed() throws Exception {
    fill("t", 100);
    assertThat(ask("count t").runs()).isEqualTo(100);
    assertThat(ask("write t 64").seconds()).isPositive();
    assertThatThrownBy(() -> ask("count nothing")).hasMessageContaining("no table nothing");
  }

  @Test
  void allOfATableIsGatheredOnOneServer() throws Exception {
    fill("t", 1);
    assertThat(store.locate("t", "user4")).isEqualTo("one");
    ask("gather t two");
    assertThat(store.locate("t", "user2")).isEqualTo("two");
    assertThat(store.locate("t", "user8")).isEqualTo("two");
    assertThatThrownBy(() -> ask("gather t three"))
        .hasMessageContaining("is at 'one': must be at three");
  }

  @Test
  void theLongestPauseOfEachMoveIsTold() throws Exception {
    fill("t", 1);
    String before = store.locate("t", Records.key(0));
    Sample answer = ask("moves t 5");
    assertThat(answer.runs()).isEqualTo(5);
    assertThat(answer.p50Micros()).isPositive().isLessThanOrEqualTo(answer.p99Micros());
    assertThat(store.locate("t", Records.key(0))).as("after an odd number").isNotEqualTo(before);
  }

  @Test
  void aWriteThatFailsDuringMovesIsNoPause() {
    store.create("t", List.of());
    assertThatThrownBy(() -> ask("moves t 1")).hasMessageContaining("no record");
  }

  @Test
  void lookupsGoToAllParts() throws Exception {
    Sample answer = ask("lookups t 10 2 0.02 1");
    assertThat(answer.runs()).isPositive();
    assertThat(answer.seconds()).isGreaterThan(0.01);
  }

  @Test
  void otherRequestsAreLeftToOthers() throws Exception {
    assertThat(new ClusterDriver(store).answer(new String[] {"live"})).isEmpty();
    assertThat(new ClusterDriver(store).answer(new String[] {"drop", "t"})).isEmpty();
  }
}
