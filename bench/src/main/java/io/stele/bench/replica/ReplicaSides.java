package io.stele.bench.replica;

/** How the sides are found. */
interface ReplicaSides {
  TableSide replicated();

  TableSide tablets();

  Limit limit();

  ReplicaSides REAL =
      new ReplicaSides() {
        @Override
        public TableSide replicated() {
          return new ReplicatedSide();
        }

        @Override
        public TableSide tablets() {
          return new TabletSide();
        }

        @Override
        public Limit limit() {
          return RocksLimit.find();
        }
      };
}
