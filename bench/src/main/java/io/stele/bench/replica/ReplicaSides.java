package io.stele.bench.replica;

import io.stele.bench.Peer;

/**
 * Those that are measured.
 *
 * @param limit beside which the two kinds of tables are measured
 */
record ReplicaSides(ReplicaSide replicated, ReplicaSide tablets, Peer<Limit> limit) {
  static ReplicaSides real() {
    return new ReplicaSides(new ReplicatedSide(), new TabletSide(), RocksLimit.find());
  }
}
