package io.stele.gateway.etcd.kv;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.etcd.KeyValue;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.RangeStreamResponse;
import java.util.Iterator;

/**
 * An answer on its way in pieces, which the receiver merges: the keys in their order, and with the
 * last of them all that there is once. No piece is made before the connection can take it.
 */
final class RangePieces implements StreamObserver<RangeResponse> {
  private static final int PIECE_BYTES = 1 << 20;

  private final ServerCallStreamObserver<RangeStreamResponse> caller;

  // Guarded by this.
  private RangeResponse whole = RangeResponse.getDefaultInstance();
  private Iterator<KeyValue> left = whole.getKvsList().iterator();
  private boolean answered;
  private boolean done;

  RangePieces(ServerCallStreamObserver<RangeStreamResponse> caller) {
    this.caller = caller;
    caller.setOnReadyHandler(this::send);
  }

  @Override
  public void onNext(RangeResponse answer) {
    synchronized (this) {
      whole = answer;
      left = answer.getKvsList().iterator();
      answered = true;
    }
    send();
  }

  private synchronized void send() {
    while (answered && !done && caller.isReady()) {
      RangeResponse.Builder piece = RangeResponse.newBuilder();
      int bytes = 0;
      while (left.hasNext() && bytes < PIECE_BYTES) {
        KeyValue kv = left.next();
        bytes += kv.getSerializedSize();
        piece.addKvs(kv);
      }
      if (!left.hasNext()) {
        piece.setHeader(whole.getHeader()).setMore(whole.getMore()).setCount(whole.getCount());
        done = true;
      }
      caller.onNext(RangeStreamResponse.newBuilder().setRangeResponse(piece).build());
    }
    if (done && answered) {
      answered = false;
      caller.onCompleted();
    }
  }

  @Override
  public void onError(Throwable problem) {
    caller.onError(problem);
  }

  /** The answer is complete once its last piece is sent. */
  @Override
  public void onCompleted() {}
}
