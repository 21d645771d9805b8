package io.stele.it.etcd;

import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.StatusRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** etcd as it is installed, alone in its group. */
final class EtcdProcess implements AutoCloseable {
  private final Process process;
  private final ManagedChannel channel;

  private EtcdProcess(Process process, ManagedChannel channel) {
    this.process = process;
    this.channel = channel;
  }

  static EtcdProcess start(Path directory) throws IOException {
    int[] ports = freePorts();
    String clients = "http://127.0.0.1:" + ports[0];
    String peers = "http://127.0.0.1:" + ports[1];
    Process process =
        new ProcessBuilder(
                "etcd",
                "--name=a",
                "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=a=" + peers,
                "--logger=zap",
                "--log-level=warn",
                "--log-outputs=stderr")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("etcd.log").toFile())
            .start();
    process.getOutputStream().close();
    ManagedChannel channel =
        NettyChannelBuilder.forTarget("127.0.0.1:" + ports[0]).usePlaintext().build();
    EtcdProcess etcd = new EtcdProcess(process, channel);
    await("etcd's first answer")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
        .until(etcd::leads);
    return etcd;
  }

  private static int[] freePorts() throws IOException {
    try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new int[] {one.getLocalPort(), other.getLocalPort()};
    }
  }

  private boolean leads() {
    try {
      return MaintenanceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(1, TimeUnit.SECONDS)
              .status(StatusRequest.getDefaultInstance())
              .getLeader()
          != 0;
    } catch (StatusRuntimeException e) {
      channel.resetConnectBackoff();
      return false;
    }
  }

  ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow();
    process.destroyForcibly();
    process.waitFor(10, TimeUnit.SECONDS);
  }
}
