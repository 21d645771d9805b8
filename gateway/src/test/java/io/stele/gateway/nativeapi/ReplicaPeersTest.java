package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.client.Stele;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What servers of replicated tables tell each other, and people ask them, over the wire. */
@Timeout(30)
@Execution(ExecutionMode.CONCURRENT)
class ReplicaPeersTest {
  private static final RowRange ROWS = new RowRange(bytes("a"), bytes("m"));
  private static final CellBatch CELLS = batch(put("r", "f:x", 1, "1"), put("s", "f:x", 2, "2"));
  private static final Push PUSH =
      new Push(
          "t1",
          "p1",
          FakeReplicas.B,
          FakeReplicas.A,
          8,
          41,
          true,
          List.of(CELLS, batch(put("z", "f:x", 3, "3"))),
          List.of(new Push.Confirmed("a3", 39, 37)),
          77);

  /** One that goes on the stream. */
  private static final Push SMALL =
      new Push(
          "t1", "p1", FakeReplicas.B, FakeReplicas.A, 8, 42, false, List.of(CELLS), List.of(), 77);

  private final FakeReplicas served = new FakeReplicas();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final Serving serving = server.serve(served.metadata, served.replicas);
  private final TcpProxy proxy = new TcpProxy(server.port());
  private final GrpcReplicaPeers peers =
      new GrpcReplicaPeers(channels, GrpcReplicaPeers.Patience.DEFAULT);
  private final MetadataPeer metadata = peers.metadata(proxy.address());
  private final ReplicaPeer replicas = peers.replicas(proxy.address());

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
    channels.close();
  }

  private static <T> T now(CompletableFuture<T> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof SteleException problem ? problem : e;
    }
  }

  @Test
  void metadataFilesArriveAsTheyWereSent() {
    assertThat(metadata.fetch("t1", "x9")).contains(bytes("file"));
    assertThat(metadata.fetch("t1", "x0")).isEmpty();
    metadata.store("t1", "x9", bytes("file"));
    metadata.drop("t1", "x8");
    metadata.changed("t1");
    metadata.join("t1");
    assertThat(metadata.adopt(true)).containsExactly("t: listed");
    assertThat(served.asked)
        .containsExactly(
            "fetch t1 x9",
            "fetch t1 x0",
            "store t1 x9 file",
            "drop t1 x8",
            "changed t1",
            "join t1",
            "adopt true");
  }

  @Test
  void everyChangeAndTheWholeMapSurviveTheWire() {
    List<MetadataChange> changes =
        List.of(
            new MetadataChange("x8", "x9", new MetadataChange.BeginSplit("p1", FakeReplicas.SPLIT)),
            new MetadataChange("x8", "x9", new MetadataChange.FinalizeSplit("p1", "p2", "p3")),
            new MetadataChange(
                "x8", "x9", new MetadataChange.Join("p1", FakeReplicas.B, Optional.of("a1"))),
            new MetadataChange(
                "x8", "x9", new MetadataChange.Join("p1", FakeReplicas.B, Optional.empty())),
            new MetadataChange("x8", "x9", new MetadataChange.FinalizeJoin("p1", "a2")),
            new MetadataChange("x8", "x9", new MetadataChange.Leave("p1", List.of("a1", "a2"))));
    for (MetadataChange change : changes) {
      assertThat(metadata.change("t1", change)).isEqualTo(FakeReplicas.MAP);
    }
    assertThat(served.asked).isEqualTo(List.copyOf(changes));
  }

  @Test
  void pushesCarryTheirCells() {
    assertThat(now(replicas.push(PUSH))).isEqualTo(new Push.Answer(8, 78, "s1"));
    assertThat(served.asked).hasSize(1);
    Push came = (Push) served.asked.getFirst();
    assertThat(came).usingRecursiveComparison().ignoringFields("batches").isEqualTo(PUSH);
    assertThat(came.batches()).extracting(CellBatch::toArray).hasSize(2);
    assertThat(came.batches().getFirst().toArray()).isEqualTo(CELLS.toArray());
  }

  @Test
  void smallPushesShareAStreamAndAreAnsweredEachForItself() {
    List<CompletableFuture<Push.Answer>> answers = new ArrayList<>();
    List<CompletableFuture<Push.Answer>> outcomes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      served.pushed = new CompletableFuture<>();
      outcomes.add(served.pushed);
      answers.add(replicas.push(SMALL));
      int reached = i + 1;
      await().until(() -> served.asked.size() == reached);
    }
    Push came = (Push) served.asked.getLast();
    assertThat(came).usingRecursiveComparison().ignoringFields("batches").isEqualTo(SMALL);
    assertThat(came.batches().getFirst().toArray()).isEqualTo(CELLS.toArray());
    outcomes.get(7).complete(new Push.Answer(8, 78, "s7"));
    assertThat(now(answers.get(7)).store()).isEqualTo("s7");
    outcomes.get(3).completeExceptionally(new NotServingException("a2 is not here"));
    assertThatThrownBy(() -> now(answers.get(3)))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("a2 is not here");
    assertThat(answers.get(0)).isNotDone();
    outcomes.forEach(each -> each.complete(new Push.Answer(9, 79, "s9")));
    assertThat(now(answers.get(0)).store()).isEqualTo("s9");
    assertThat(now(answers.get(19)).metadata()).isEqualTo(9);
  }

  @Test
  void pushesOfAStreamThatIsCutAreInDoubtAndTheNextHasAnother() {
    served.pushed = new CompletableFuture<>();
    CompletableFuture<Push.Answer> one = replicas.push(SMALL);
    CompletableFuture<Push.Answer> other = replicas.push(SMALL);
    await().until(() -> served.asked.size() == 2);
    proxy.cut();
    assertThatThrownBy(() -> now(one)).isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> now(other)).isInstanceOf(OutcomeUnknownException.class);
    served.pushed = CompletableFuture.completedFuture(new Push.Answer(8, 78, "s1"));
    await().ignoreExceptions().until(() -> now(replicas.push(SMALL)).store().equals("s1"));
  }

  @Test
  void aServerThatStopsEndsItsStreamsWhenWhatTheyBroughtIsAnswered() {
    served.pushed = new CompletableFuture<>();
    CompletableFuture<Push.Answer> answer = replicas.push(SMALL);
    await().until(() -> served.asked.size() == 1);
    Thread stopping = Thread.ofVirtual().start(server::close);
    served.pushed.complete(new Push.Answer(8, 78, "s1"));
    assertThat(now(answer).store()).isEqualTo("s1");
    await().until(() -> !stopping.isAlive());
    assertThatThrownBy(() -> now(replicas.push(SMALL))).isInstanceOf(SteleException.class);
  }

  @Test
  void whatIsAskedOfReplicasIsAnswered() {
    assertThat(now(replicas.progress("t1", "p1"))).containsExactly(FakeReplicas.PROGRESS);
    ReadPredicate column =
        ReadPredicate.rows(ROWS).withColumns(ColumnRange.column(bytes("f"), bytes("q")));
    ReadPredicate all = ReadPredicate.ALL;
    ReplicaPeer.Stored stored = now(replicas.stored("t1", "p1", column, 4096));
    assertThat(stored.cells().end()).contains(bytes("s"));
    assertThat(stored.metadata()).isEqualTo(8);
    assertThat(stored.clock()).isEqualTo(79);
    assertThat(stored.cells().cells().orElseThrow().toArray())
        .isEqualTo(FakeReplicas.STORED.cells().orElseThrow().toArray());
    assertThat(now(replicas.stored("t1", "p2", all, Integer.MAX_VALUE)).cells())
        .isEqualTo(FakeReplicas.NOTHING);
    assertThat(now(replicas.digests("t1", "p1", ROWS, List.of(bytes("c"), bytes("f")))))
        .containsExactly(FakeReplicas.DIGEST);
    now(replicas.repair("t1", "p1", bytes("cells")));
    assertThat(now(replicas.split("t1", "p1", Bytes.EMPTY))).isEqualTo(bytes("g"));
    now(replicas.upkeep("t1", true));
    assertThat(now(replicas.fill("t1", "p1", FakeReplicas.B, "s2"))).isTrue();
    assertThat(served.asked)
        .containsExactly(
            "progress t1 p1",
            "stored t1 p1 " + column + " 4096",
            "stored t1 p2 " + all + " " + (4 << 20),
            "digests t1 p1 " + ROWS + " " + List.of(bytes("c"), bytes("f")),
            "repair t1 p1 cells",
            "split t1 p1 ",
            "upkeep t1 true",
            "fill t1 p1 " + FakeReplicas.B + " s2");
  }

  @Test
  void errorsComeBackAsTheyAre() {
    served.before =
        () -> {
          throw new ConflictException("x8 is not valid");
        };
    assertThatThrownBy(
            () ->
                metadata.change(
                    "t1",
                    new MetadataChange("x8", "x9", new MetadataChange.FinalizeJoin("p1", "a2"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("x8 is not valid");
    served.before = () -> {};
    served.pushed = CompletableFuture.failedFuture(new NotServingException("a2 is not here"));
    assertThatThrownBy(() -> now(replicas.push(PUSH)))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("a2 is not here");
    assertThatThrownBy(
            () -> now(replicas.digests("t1", "p1", ROWS, List.of(bytes("f"), bytes("c")))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("must ascend");
  }

  @Test
  void oneThatServesNoReplicasSaysSo() {
    serving.close();
    assertThatThrownBy(() -> now(replicas.push(PUSH))).isInstanceOf(NotServingException.class);
    assertThatThrownBy(() -> now(replicas.push(SMALL))).isInstanceOf(NotServingException.class);
    assertThatThrownBy(() -> metadata.fetch("t1", "x9")).isInstanceOf(NotServingException.class);
  }

  @Test
  void aLostAnswerLeavesAChangeInDoubtAndALookJustFails() {
    served.before = proxy::cut;
    assertThatThrownBy(() -> now(replicas.push(PUSH))).isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> metadata.store("t1", "x9", bytes("file")))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> now(replicas.progress("t1", "p1")))
        .isInstanceOf(UnavailableException.class);
    assertThatThrownBy(() -> metadata.fetch("t1", "x9")).isInstanceOf(UnavailableException.class);
  }

  @Test
  void withoutAConnectionNothingWasDone() throws IOException {
    proxy.close();
    assertThatThrownBy(() -> now(replicas.push(PUSH)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("Push at " + proxy.address());
    assertThatThrownBy(() -> now(replicas.push(SMALL)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("Pushes at " + proxy.address());
    assertThatThrownBy(() -> metadata.store("t1", "x9", bytes("file")))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void oneThatDoesNotAnswerIsGivenUp() {
    served.pushed = new CompletableFuture<>();
    ReplicaPeer impatient =
        new GrpcReplicaPeers(
                channels, GrpcReplicaPeers.Patience.DEFAULT.withAnswer(Duration.ofMillis(200)))
            .replicas(server.address());
    assertThatThrownBy(() -> now(impatient.push(PUSH))).isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> now(impatient.push(SMALL)))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("no answer within");
  }

  @Test
  void whatDependsOnAnAnswerMayWait() {
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    var _ =
        replicas
            .push(SMALL)
            .thenAccept(_ -> later.complete(!now(replicas.progress("t1", "p1")).isEmpty()));
    assertThat(later.join()).isTrue();
  }

  @Test
  void peopleAskAnyServer() {
    server.serve(served.people);
    try (Stele stele = Stele.connect(server.address())) {
      assertThat(stele.replicas().status("t")).isEqualTo(FakeReplicas.STATUS);
      assertThat(stele.replicas().metadata("t")).isEqualTo(FakeReplicas.METADATA);
      assertThat(stele.replicas().split("t", bytes("a"), Bytes.EMPTY)).isEqualTo(bytes("k"));
      assertThat(stele.replicas().verify("t", ROWS)).containsExactly(FakeReplicas.DIFFERENCE);
      assertThat(stele.replicas().repair("t", RowRange.ALL)).isEqualTo(7);
      stele.replicas().joinMetadata("t", "s1");
      stele.replicas().removeMetadata("t", "s2");
      assertThat(stele.replicas().removeServer("t", "s3")).containsExactly("p1: 1 left");
      assertThat(stele.replicas().adopt(true)).containsExactly("u: listed");
    }
    assertThat(served.asked)
        .containsExactly(
            "status t",
            "metadata t",
            "split t at a row ",
            "verify t " + ROWS,
            "repair t " + RowRange.ALL,
            "join metadata t s1",
            "remove metadata t s2",
            "remove server t s3",
            "adopt everywhere true");
  }
}
