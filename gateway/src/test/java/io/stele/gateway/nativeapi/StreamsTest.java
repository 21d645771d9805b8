package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.time.RandomSource;
import io.stele.gateway.nativeapi.FakeMetastore.SetWatch;
import io.stele.metastore.raft.Member;
import io.stele.metastore.watch.KeyEvent;
import io.stele.protocol.v1.BackupRequest;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.v1.KeyRange;
import io.stele.protocol.v1.MembersResponse;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.WatchRequest;
import io.stele.protocol.v1.WatchResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Watches, backups, and what members send each other. */
@Execution(ExecutionMode.CONCURRENT)
class StreamsTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeAdmin admin = new FakeAdmin();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final ManagedChannel channel = channels.to(server.address());
  private final Member member = new Member("a", "host:1", server.address());
  private final GrpcPeerLink link =
      new GrpcPeerLink(channels, Duration.ofSeconds(20), Duration.ofSeconds(20));

  @BeforeEach
  void serve() {
    server.serve(admin);
    server.serve(metastore);
  }

  @AfterEach
  void close() {
    channels.close();
    server.close();
  }

  /** Hears a watch; takes no more messages than it has asked for. */
  private static final class Listener
      implements ClientResponseObserver<WatchRequest, WatchResponse> {
    final List<WatchResponse> heard = new CopyOnWriteArrayList<>();
    final CompletableFuture<Optional<SteleException>> end = new CompletableFuture<>();
    final AtomicReference<@Nullable ClientCallStreamObserver<WatchRequest>> call =
        new AtomicReference<>();
    private final int wanted;

    Listener(int wanted) {
      this.wanted = wanted;
    }

    ClientCallStreamObserver<WatchRequest> call() {
      ClientCallStreamObserver<WatchRequest> started = call.get();
      if (started == null) {
        throw new AssertionError("not started");
      }
      return started;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRequest> started) {
      call.set(started);
      started.disableAutoRequestWithInitial(wanted);
    }

    @Override
    public void onNext(WatchResponse message) {
      heard.add(message);
    }

    @Override
    public void onError(Throwable problem) {
      end.complete(Optional.of(ErrorMapping.fromThrown("server", problem)));
    }

    @Override
    public void onCompleted() {
      end.complete(Optional.empty());
    }
  }

  private Listener watch(long progressMillis, int wanted) {
    Listener listener = new Listener(wanted);
    MetastoreGrpc.newStub(channel)
        .watch(
            WatchRequest.newBuilder()
                .setRange(KeyRange.newBuilder().setFrom(ByteString.copyFromUtf8("/a")))
                .setPrevious(true)
                .setProgressMillis(progressMillis)
                .build(),
            listener);
    return listener;
  }

  private SetWatch set() {
    await().until(() -> !metastore.watches.isEmpty());
    return metastore.watches.getFirst();
  }

  private static List<KeyEvent> event(String value) {
    return List.of(
        new KeyEvent(
            false,
            FakeMetastore.keyValue("/a", value),
            Optional.of(FakeMetastore.keyValue("/a", "old"))));
  }

  @Test
  void eventsArriveInWholeRevisions() {
    Listener listener = watch(0, 100);
    set().sink.events(30, event("new"));
    set().sink.progress(31);
    await().until(() -> listener.heard.size() == 3);
    assertThat(listener.heard.get(0).getStarted().getRevision()).isEqualTo(21);
    WatchResponse.Events events = listener.heard.get(1).getEvents();
    assertThat(events.getRevision()).isEqualTo(30);
    assertThat(events.getEvents(0).getNow().getValue().toStringUtf8()).isEqualTo("new");
    assertThat(events.getEvents(0).getBefore().getValue().toStringUtf8()).isEqualTo("old");
    assertThat(listener.heard.get(2).getProgress().getRevision()).isEqualTo(31);
  }

  @Test
  void aWatchWaitsForItsClientAndIsResumed() {
    Listener listener = watch(0, 1);
    SetWatch watch = set();
    String large = "v".repeat(60_000);
    AtomicInteger sent = new AtomicInteger();
    await()
        .during(Duration.ofMillis(300)) // it is not only catching its breath
        .until(
            () -> {
              while (watch.sink.isReady() && sent.get() < 1_000) {
                watch.sink.events(30 + sent.getAndIncrement(), event(large));
              }
              return !watch.sink.isReady() && sent.get() * 60_000 > 1 << 20; // the window
            });
    assertThat(sent).hasValueLessThan(1_000);
    int resumed = watch.resumed.get();
    listener.call().request(1_000);
    await().until(() -> watch.resumed.get() > resumed);
    await().until(watch.sink::isReady);
  }

  @Test
  void progressIsAskedForWhileNothingHappens() {
    watch(20, 100);
    await().until(() -> set().progressAsked.get() >= 2);
  }

  @Test
  void aWatchEndsWithItsClient() {
    Listener listener = watch(20, 100);
    SetWatch watch = set();
    listener.call().cancel("enough", null);
    await().until(() -> watch.closed);
  }

  @Test
  void aWatchThatFellBehindEndsWithTheOldestRevision() {
    Listener listener = watch(0, 100);
    set().sink.compacted(50);
    assertThat(listener.end.join()).isEmpty();
    assertThat(listener.heard.getLast().getCompacted().getOldest()).isEqualTo(50);
    await().until(() -> set().closed);
  }

  @Test
  void aWatchThatIsRefusedSaysWhy() {
    metastore.problem = new DeniedException("not for you");
    assertThat(watch(0, 100).end.join())
        .get()
        .isInstanceOf(DeniedException.class)
        .extracting(Throwable::getMessage)
        .isEqualTo("not for you");
    metastore.problem = null;
    assertThat(watch(-1, 100).end.join()).get().isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void aBackupArrivesWhole() {
    metastore.backup = random(3_000_001);
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    Iterator<Chunk> chunks =
        MetastoreGrpc.newBlockingStub(channel).backup(BackupRequest.getDefaultInstance());
    while (chunks.hasNext()) {
      byte[] data = chunks.next().getData().toByteArray();
      assertThat(data.length).isLessThanOrEqualTo(ChunkOutput.CHUNK_BYTES);
      received.writeBytes(data);
    }
    assertThat(received.toByteArray()).isEqualTo(metastore.backup);
  }

  @Test
  void aRestoreArrivesWhole() {
    byte[] content = random(2_000_003);
    CompletableFuture<MembersResponse> answer = new CompletableFuture<>();
    StreamObserver<Chunk> upload = MetastoreGrpc.newStub(channel).restore(completing(answer));
    for (int at = 0; at < content.length; at += 50_000) {
      int length = Math.min(50_000, content.length - at);
      upload.onNext(Chunk.newBuilder().setData(ByteString.copyFrom(content, at, length)).build());
    }
    upload.onCompleted();
    assertThat(answer.join().getMembers(0).getId()).isEqualTo("a");
    assertThat(admin.restored).isEqualTo(content);
  }

  @Test
  void aRestoreThatIsRefusedSaysWhy() {
    admin.problem = new CorruptDataException("backup", 7, "a checksum", "another");
    CompletableFuture<MembersResponse> answer = new CompletableFuture<>();
    MetastoreGrpc.newStub(channel).restore(completing(answer)).onCompleted();
    assertThatThrownBy(answer::join).hasCauseInstanceOf(CorruptDataException.class);
  }

  private static StreamObserver<MembersResponse> completing(
      CompletableFuture<MembersResponse> answer) {
    return new StreamObserver<>() {
      @Override
      public void onNext(MembersResponse response) {
        answer.complete(response);
      }

      @Override
      public void onError(Throwable problem) {
        answer.completeExceptionally(ErrorMapping.fromThrown("server", problem));
      }

      @Override
      public void onCompleted() {}
    };
  }

  private static byte[] random(int length) {
    byte[] content = new byte[length];
    RandomSource.seeded(length).nextBytes(content);
    return content;
  }

  // ---- between members

  @Test
  void membersAskEachOther() {
    assertThat(link.currentTerm(member).join()).isEqualTo(17);
    assertThat(link.identify(server.address()).join()).isEqualTo(admin.identify());
    assertThat(link.reserve(server.address(), "g").join()).isTrue();
    assertThat(link.reserve(server.address(), "h").join()).isFalse();
    link.release(server.address(), "g").join();
    link.form(server.address(), "g", "a", List.of(FakeAdmin.SELF)).join();
    assertThat(admin.asked)
        .containsExactly(
            "reserve g", "reserve h", "unreserve g", "form g a [" + FakeAdmin.SELF + "]");
  }

  /** A round for reads that wait begins where the answer to others was given, who are gone then. */
  @Test
  void aMemberIsAskedWhateverBecomesOfTheRequestThatIsServed() throws Exception {
    Context.CancellableContext request = Context.current().withCancellation();
    request.cancel(null);
    CompletableFuture<Long> term = request.call(() -> link.currentTerm(member));
    assertThat(term.join()).isEqualTo(17);
  }

  @Test
  void anotherServerAtAMembersAddressDoesNotAnswerForIt() {
    assertThatThrownBy(() -> link.currentTerm(new Member("b", "host:1", server.address())).join())
        .hasCauseInstanceOf(InvalidRequestException.class);
  }

  @Test
  void aCheckpointIsStreamed() throws IOException {
    admin.checkpoint = random(1_500_001);
    try (InputStream in = link.checkpoint(member)) {
      assertThat(in.read()).isEqualTo(admin.checkpoint[0] & 0xff);
      assertThat(in.readAllBytes()).hasSize(1_500_000).endsWith(admin.checkpoint[1_500_000]);
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void aCheckpointThatFailsIsAnError() throws IOException {
    admin.problem = new DeniedException("not for you");
    try (InputStream in = link.checkpoint(member)) {
      assertThatThrownBy(in::read).isInstanceOf(IOException.class).hasMessageContaining("not for");
    }
  }

  @Test
  void aMemberThatIsAwayIsAnErrorThatNamesIt() {
    server.close();
    assertThatThrownBy(() -> link.currentTerm(member).join())
        .hasCauseInstanceOf(SteleException.class)
        .hasMessageContaining(server.address());
  }
}
