package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.stele.base.time.RandomSource;
import io.stele.protocol.etcd.AuthGrpc;
import io.stele.protocol.etcd.AuthenticateRequest;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchCreateRequest.FilterType;
import io.stele.protocol.etcd.WatchResponse;
import io.stele.testkit.process.EtcdProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * etcd and Stele get the same requests, one after the other: what they answer, and what they tell
 * watchers, is the same but for ids, terms and remaining times.
 */
class DifferentialIT {
  private static final int REQUESTS = 600;
  private static final int MOST_TEXT = 200;
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  @TempDir private Path directory;

  private static List<WatchCreateRequest> watches() {
    return List.of(
        WatchCreateRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO).setPrevKv(true).build(),
        WatchCreateRequest.newBuilder()
            .setKey(ByteString.copyFromUtf8("a"))
            .setRangeEnd(ByteString.copyFromUtf8("b"))
            .addFilters(FilterType.NOPUT)
            .build(),
        WatchCreateRequest.newBuilder()
            .setKey(ByteString.copyFromUtf8("b"))
            .addFilters(FilterType.NODELETE)
            .build(),
        WatchCreateRequest.newBuilder()
            .setRangeEnd(ZERO)
            .setStartRevision(1)
            .setFragment(true)
            .build(),
        WatchCreateRequest.newBuilder().setRangeEnd(ZERO).setStartRevision(100).build());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void answersAndEventsAreEtcds(long seed) throws Exception {
    RandomGenerator random = RandomSource.seeded(seed);
    RandomRequests requests = new RandomRequests(random);
    try (EtcdProcess process = EtcdProcess.start(directory);
        Peer etcd = new Peer(process.address());
        SteleNode stele = SteleNode.start(directory);
        WatchLog theirs = new WatchLog(etcd.channel());
        WatchLog ours = new WatchLog(stele.channel())) {
      for (WatchCreateRequest watch : watches()) {
        theirs.create(watch);
        ours.create(watch);
      }
      awaitCreated(theirs);
      awaitCreated(ours);
      long revision = 1;
      for (int i = 0; i < REQUESTS; i++) {
        Message request = requests.next(revision);
        String expected = Answers.ask(etcd.channel(), request);
        String answer = Answers.ask(stele.channel(), request);
        assertThat(answer)
            .as(
                "seed %d, request %d: %s %s",
                seed,
                i,
                request.getClass().getSimpleName(),
                TextFormat.printer().emittingSingleLine(true).printToString(request))
            .isEqualTo(expected);
        revision = Math.max(revision, Answers.revision(answer));
      }
      long last = end(etcd, stele);
      for (long watch = 0; watch < watches().size(); watch++) {
        if (watch != 1) {
          awaitRevision(theirs, watch, last);
          awaitRevision(ours, watch, last);
        }
        long same = watch;
        await() // what one watch hears says nothing of how far the others are
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(
                () ->
                    assertThat(ours.told(same))
                        .as("seed %d, watch %d", seed, same)
                        .isEqualTo(theirs.told(same)));
      }
      assertThat(ours.problems()).isEmpty();
    }
  }

  @Test
  void requestsAtTheEdgesGetEtcdsAnswers() throws Exception {
    try (EtcdProcess process = EtcdProcess.start(directory);
        Peer etcd = new Peer(process.address());
        SteleNode stele = SteleNode.start(directory)) {
      SoftAssertions all = new SoftAssertions();
      for (Message request : EdgeRequests.all()) {
        String expected = Answers.ask(etcd.channel(), request);
        all.assertThat(Answers.ask(stele.channel(), request))
            .as("%s %s", request.getClass().getSimpleName(), brief(request))
            .isEqualTo(expected);
      }
      for (Message request : EdgeRequests.alarms()) {
        // An alarm is a revision here, and none in etcd, whose 3.4 tells no header either.
        all.assertThat(withoutHeaders(Answers.ask(stele.channel(), request)))
            .as("%s %s", request.getClass().getSimpleName(), brief(request))
            .isEqualToIgnoringWhitespace(withoutHeaders(Answers.ask(etcd.channel(), request)));
      }
      all.assertAll();
    }
  }

  /** What is denied, in which words, and in which order permissions are listed. */
  @Test
  void rightsAreEtcds() throws Exception {
    try (EtcdProcess process = EtcdProcess.start(directory);
        Peer etcd = new Peer(process.address());
        SteleNode stele = SteleNode.start(directory)) {
      SoftAssertions all = new SoftAssertions();
      compare(all, etcd.channel(), stele.channel(), RightsRequests.setUp());
      Channel theirs = authenticated(etcd.channel());
      Channel ours = authenticated(stele.channel());
      compare(all, theirs, ours, RightsRequests.ofTheReader());
      try (WatchLog expected = new WatchLog(theirs);
          WatchLog told = new WatchLog(ours)) {
        for (WatchCreateRequest watch : RightsRequests.watches()) {
          expected.create(watch);
          told.create(watch);
        }
        int count = RightsRequests.watches().size();
        await().until(() -> expected.responses().size() >= count);
        await().until(() -> told.responses().size() >= count);
        all.assertThat(told.responses())
            .as("watches")
            .extracting(DifferentialIT::withoutHeader)
            .isEqualTo(expected.responses().stream().map(DifferentialIT::withoutHeader).toList());
      }
      all.assertAll();
    }
  }

  private static String withoutHeader(WatchResponse response) {
    return response.toBuilder().clearHeader().build().toString();
  }

  /** But for headers: a change of rights is a revision here, and none in etcd. */
  private static void compare(
      SoftAssertions all, Channel etcd, Channel stele, List<Message> requests) {
    for (Message request : requests) {
      all.assertThat(withoutHeaders(Answers.ask(stele, request)))
          .as("%s %s", request.getClass().getSimpleName(), brief(request))
          .isEqualToIgnoringWhitespace(withoutHeaders(Answers.ask(etcd, request)));
    }
  }

  /** As the user with some rights. */
  private static Channel authenticated(ManagedChannel channel) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER),
        AuthGrpc.newBlockingStub(channel)
            .authenticate(
                AuthenticateRequest.newBuilder()
                    .setName("reader")
                    .setPassword(RightsRequests.PASSWORD)
                    .build())
            .getToken());
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static String withoutHeaders(String answer) {
    return answer.replaceAll("header [{][^}]*[}]", "");
  }

  private static String brief(Message request) {
    String text = TextFormat.printer().emittingSingleLine(true).printToString(request);
    return text.length() < MOST_TEXT
        ? text
        : text.substring(0, MOST_TEXT) + " and so on, " + request.getSerializedSize() + " bytes";
  }

  /** A connection to etcd. */
  private record Peer(ManagedChannel channel) implements AutoCloseable {
    Peer(String address) {
      this(NettyChannelBuilder.forTarget(address).usePlaintext().build());
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }

  private static void awaitCreated(WatchLog log) {
    await("all watches")
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> {
              for (long watch = 0; watch < watches().size(); watch++) {
                if (log.told(watch).isEmpty()) {
                  return false;
                }
              }
              return true;
            });
  }

  /** A put that all watches but that of deletions hear of. */
  private static long end(Peer etcd, SteleNode stele) {
    PutRequest last =
        PutRequest.newBuilder()
            .setKey(ByteString.copyFromUtf8("b"))
            .setValue(ByteString.copyFromUtf8("the end"))
            .build();
    Answers.ask(etcd.channel(), last);
    return Answers.revision(Answers.ask(stele.channel(), last));
  }

  private static void awaitRevision(WatchLog log, long watch, long revision) {
    await("the last event of watch " + watch)
        .atMost(Duration.ofSeconds(20))
        .until(() -> log.newest(watch) >= revision);
  }
}
