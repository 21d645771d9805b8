package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is too large for one message comes in several. */
class PiecesIT {
  private static final int KEYS = 24;
  private static final int VALUE_BYTES = 100_000;
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  @TempDir private Path directory;

  private static void fill(SteleNode node) {
    ByteString value = ByteString.copyFrom(new byte[VALUE_BYTES]);
    for (int i = 0; i < KEYS; i++) {
      KVGrpc.newBlockingStub(node.channel())
          .put(
              PutRequest.newBuilder()
                  .setKey(ByteString.copyFromUtf8("k%02d".formatted(i)))
                  .setValue(value)
                  .build());
    }
  }

  @Test
  void aRangeInPiecesIsTheRange() throws Exception {
    try (SteleNode node = SteleNode.start(directory)) {
      fill(node);
      RangeRequest all =
          RangeRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO).setLimit(KEYS - 1).build();
      RangeResponse.Builder merged = RangeResponse.newBuilder();
      AtomicInteger pieces = new AtomicInteger();
      KVGrpc.newBlockingStub(node.channel())
          .rangeStream(all)
          .forEachRemaining(
              piece -> {
                pieces.incrementAndGet();
                merged.mergeFrom(piece.getRangeResponse());
              });

      assertThat(pieces.get()).isGreaterThan(1);
      assertThat(merged.build()).isEqualTo(KVGrpc.newBlockingStub(node.channel()).range(all));
      assertThat(merged.getMore()).isTrue();
      assertThat(merged.getCount()).isEqualTo(KEYS);
    }
  }

  @Test
  void aLargeRevisionIsToldInPiecesToWhoTakesThem() throws Exception {
    try (SteleNode node = SteleNode.start(directory)) {
      fill(node);
      try (WatchLog log = new WatchLog(node.channel())) {
        log.create(
            WatchCreateRequest.newBuilder()
                .setKey(ZERO)
                .setRangeEnd(ZERO)
                .setPrevKv(true)
                .setFragment(true)
                .build());
        await("the watch").atMost(Duration.ofSeconds(10)).until(() -> !log.told(0).isEmpty());
        KVGrpc.newBlockingStub(node.channel())
            .deleteRange(DeleteRangeRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO).build());
        await("all deletions")
            .atMost(Duration.ofSeconds(20))
            .until(() -> log.told(0).size() == KEYS + 1 || !log.problems().isEmpty());

        List<WatchResponse> pieces =
            log.responses().stream().filter(response -> response.getEventsCount() > 0).toList();
        assertThat(log.problems()).isEmpty();
        assertThat(pieces).hasSizeGreaterThan(1);
        assertThat(pieces).allMatch(piece -> piece.getSerializedSize() < 3 << 19);
        assertThat(pieces.subList(0, pieces.size() - 1)).allMatch(WatchResponse::getFragment);
        assertThat(pieces.getLast().getFragment()).isFalse();
      }
    }
  }
}
