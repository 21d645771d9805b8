package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.time.RandomSource;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class LookupsTest {
  @Test
  void aVersionThatIsLetGoUnderALookupIsFollowedByTheNextAndNotByAFailure() {
    ManualClock clock = new ManualClock();
    PeerLookup peers =
        new PeerLookup(
            new FakePeers(),
            clock,
            RandomSource.seeded(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));
    ServedVersion gone = new ServedVersion("scores", "v1", 1, 0, 0);
    ServedVersion next = new ServedVersion("scores", "v2", 1, 0, 0);
    Deque<ServedVersion> serving = new ArrayDeque<>(List.of(gone, next, next, next));
    assertThat(
            new Lookups(peers, clock)
                .get("scores", List.of(Bytes.utf8("key")), serving::removeFirst))
        .singleElement()
        .isInstanceOfSatisfying(
            Lookup.Failed.class, failed -> assertThat(failed.version()).isEqualTo("v2"));
  }
}
