package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.Origin;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LookupsTest {
  private @Nullable LargeValue large; // what the other node answers, if it is set
  private final ManualClock clock = new ManualClock();
  private final Lookups lookups =
      new Lookups(
          new PeerLookup(
              new AnsweringPeer(),
              clock,
              RandomSource.seeded(1),
              Duration.ofSeconds(1),
              Duration.ofSeconds(1)),
          clock);

  @Test
  void aVersionThatIsLetGoUnderALookupIsFollowedByTheNextAndNotByAFailure() {
    ServedVersion gone = new ServedVersion("scores", "v1", 1, 0, 0, (_, _) -> {});
    ServedVersion next = new ServedVersion("scores", "v2", 1, 0, 0, (_, _) -> {});
    next.holders(Holders.parse(1, Map.of("00000@other", ""), "self"));
    Deque<ServedVersion> serving = new ArrayDeque<>(List.of(gone, next, next, next));
    assertThat(lookups.get("scores", List.of(Bytes.utf8("key")), serving::removeFirst))
        .singleElement()
        .isEqualTo(new Lookup.Found(Bytes.utf8("value in v2"), new Origin("v2", 0, "other")));
  }

  @Test
  void whatFailsInTheVersionThatIsServedIsAFailure() {
    ServedVersion served =
        new ServedVersion("scores", "v1", 1, 0, 0, (_, _) -> {}); // nobody has its shard
    assertThat(lookups.get("scores", List.of(Bytes.utf8("key")), () -> served))
        .singleElement()
        .isInstanceOfSatisfying(
            Lookup.Failed.class, failed -> assertThat(failed.version()).isEqualTo("v1"));
  }

  private static ServedVersion elsewhere() {
    ServedVersion version = new ServedVersion("scores", "v1", 1, 0, 0, (_, _) -> {});
    version.holders(Holders.parse(1, Map.of("00000@other", ""), "self"));
    return version;
  }

  private Lookup getLarge(long length, byte... content) {
    ServedVersion version = elsewhere();
    large = new LargeValue(length, new ByteArrayInputStream(content));
    return lookups.get("scores", List.of(Bytes.utf8("key")), () -> version).getFirst();
  }

  @Test
  void largeValuesAreReadToTheirEndForCallersThatNeedThemWhole() {
    assertThat(getLarge(3, (byte) 1, (byte) 2, (byte) 3))
        .isEqualTo(
            new Lookup.Found(Bytes.of((byte) 1, (byte) 2, (byte) 3), new Origin("v1", 0, "other")));
    assertThat(getLarge(4, (byte) 1, (byte) 2, (byte) 3))
        .isInstanceOfSatisfying(
            Lookup.Failed.class,
            failed -> assertThat(failed.reason()).contains("ended after 3 of 4 bytes"));
    assertThat(getLarge(LargeValue.MOST_WHOLE + 1L))
        .isInstanceOfSatisfying(
            Lookup.Failed.class, failed -> assertThat(failed.reason()).contains("67108865 bytes"));
  }

  @Test
  void largeValuesAreHandedOnUnreadToCallersThatTakePieces() {
    ServedVersion version = elsewhere();
    large = new LargeValue(1L << 40, new ByteArrayInputStream(new byte[0]));
    Glance<OpenedLookup> glance = lookups.glance("scores", Bytes.utf8("key"), () -> version);
    assertThat(((Glance.Asked<OpenedLookup>) glance).answer())
        .isCompletedWithValue(new OpenedLookup.Large(large, new Origin("v1", 0, "other")));
  }

  /** Has every key of every version. */
  private final class AnsweringPeer implements DatasetPeer {
    @Override
    public CompletableFuture<List<PeerAnswer>> get(
        String address, String dataset, String version, int shards, List<Bytes> keys) {
      if (large != null) {
        return CompletableFuture.completedFuture(List.of(new PeerAnswer.Large(large)));
      }
      return CompletableFuture.completedFuture(
          List.of(new PeerAnswer.Found(Bytes.utf8("value in " + version))));
    }

    @Override
    public CompletableFuture<List<DatasetStatus>> status(String address) {
      return CompletableFuture.completedFuture(List.of());
    }
  }
}
