package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotFoundException;
import io.stele.metastore.Consistency;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases and time. */
class NodeLeaseTest {
  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Bytes KEY = OpaqueKey.of(new byte[] {1});

  private final TestNode test = TestNode.solo();

  @BeforeEach
  void grant() {
    now(test.node().grantLease(5, TTL));
    now(
        test.node()
            .transact(
                Origin.NOBODY,
                Transaction.of(new Operation.Assign(KEY, Bytes.EMPTY, 5, false, false, false))));
  }

  @AfterEach
  void close() {
    test.close();
  }

  private boolean exists() {
    return !now(test.node().select("", Selection.of(KeyRange.of(KEY)), Consistency.LINEARIZABLE))
        .keys()
        .isEmpty();
  }

  @Test
  void livesAsLongAsItIsRenewed() {
    for (int i = 0; i < 3; i++) {
      test.pass(TTL.minusSeconds(1));
      assertThat(now(test.node().renewLease(5))).isEqualTo(TTL);
    }
    test.pass(Duration.ofSeconds(4));
    assertThat(now(test.node().leaseState("", 5)).remaining()).isEqualTo(TTL.minusSeconds(4));
    assertThat(now(test.node().leaseState("", 5)).keys()).containsExactly(KEY);
    assertThat(exists()).isTrue();
  }

  @Test
  void endsWithItsKeysWhenNobodyRenewsIt() {
    long before = test.node().revision();
    test.pass(TTL.plusMillis(10));

    assertThat(exists()).isFalse();
    assertThat(test.node().revision()).isEqualTo(before + 1);
    assertThat(now(test.node().leases())).isEmpty();
    assertThatThrownBy(() -> now(test.node().renewLease(5)))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("lease 5");
    assertThatThrownBy(() -> now(test.node().leaseState("", 5)))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aNewLeaderGrantsTheFullTime() {
    test.pass(TTL.minusSeconds(1));
    test.restart();
    test.pass(TTL.minusSeconds(1));
    assertThat(exists()).isTrue();
    test.pass(Duration.ofSeconds(2));
    assertThat(exists()).isFalse();
  }
}
