package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.stele.it.process.SteleCluster;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.WatchGrpc;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Connections to all members, by plain stubs of etcd's API. */
final class ApiServerMembers implements AutoCloseable {
  private static final int ANSWER_SECONDS = 3;

  private final List<ManagedChannel> channels;

  ApiServerMembers(SteleCluster cluster) {
    channels =
        cluster.endpoints().stream()
            .<ManagedChannel>map(
                address ->
                    ManagedChannelBuilder.forTarget(address)
                        .usePlaintext()
                        .maxInboundMessageSize(Integer.MAX_VALUE)
                        .build())
            .toList();
  }

  private ManagedChannel at(int number) {
    return channels.get(Math.floorMod(number, channels.size()));
  }

  KVGrpc.KVBlockingStub keys(int number) {
    return KVGrpc.newBlockingStub(at(number)).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  LeaseGrpc.LeaseBlockingStub leases(int number) {
    return LeaseGrpc.newBlockingStub(at(number))
        .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  WatchGrpc.WatchStub watches(int number) {
    return WatchGrpc.newStub(at(number));
  }

  /** The end of the range of a prefix of letters. */
  static ByteString endOf(String prefix) {
    int last = prefix.length() - 1;
    return ByteString.copyFromUtf8(prefix.substring(0, last) + (char) (prefix.charAt(last) + 1));
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
