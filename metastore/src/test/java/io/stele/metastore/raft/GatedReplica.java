package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;

/** Tells when it is first asked to apply something, and waits until it may. */
record GatedReplica(MapReplica map, CountDownLatch entered, CountDownLatch go)
    implements Replica<Position> {
  @Override
  public Position flushed() {
    return map.flushed();
  }

  @Override
  public Position apply(Position position, Bytes entry) {
    entered.countDown();
    try {
      go.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return map.apply(position, entry);
  }

  @Override
  public void skip(Position position) {
    map.skip(position);
  }

  @Override
  public void leads(long term) {
    map.leads(term);
  }

  @Override
  public void follows() {
    map.follows();
  }

  @Override
  public Position flush() {
    return map.flush();
  }

  @Override
  public Position writeCheckpoint(OutputStream out) {
    return map.writeCheckpoint(out);
  }

  @Override
  public Position installCheckpoint(InputStream in) throws IOException {
    return map.installCheckpoint(in);
  }
}
