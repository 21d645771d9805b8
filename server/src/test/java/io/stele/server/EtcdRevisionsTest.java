package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.stele.client.Stele;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.StatusRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The revision of a store that no client has used yet, as etcd's clients see it. */
class EtcdRevisionsTest {
  @TempDir Path folder;

  private TestServer start(String... flags) throws IOException {
    return TestServer.start(folder.resolve("data"), flags);
  }

  private static long revision(TestServer server) {
    ManagedChannel channel =
        ManagedChannelBuilder.forTarget(server.server().addresses().etcdAddress())
            .usePlaintext()
            .build();
    try {
      return MaintenanceGrpc.newBlockingStub(channel)
          .status(StatusRequest.getDefaultInstance())
          .getHeader()
          .getRevision();
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void aMetastoreAloneIsAtOneAsANewEtcdAndStaysThere() throws IOException {
    for (int i = 0; i < 2; i++) {
      try (TestServer server = start("server.roles=metastore", "etcd.port=0")) {
        assertThat(revision(server)).isEqualTo(1);
      }
    }
  }

  /** Tables keep their own state in keys, which watches of servers and compare-and-swap rely on. */
  @Test
  void allPartsTogetherUseOneRevisionForEachOfTheirKeys() throws IOException {
    try (TestServer server = start("etcd.port=0", "bigtable.port=0");
        Stele stele = Stele.connect(server.address())) {
      await()
          .untilAsserted(
              () -> {
                List<KeyValue> keys = new ArrayList<>();
                stele.metastore().range(Keys.prefix("/stele/")).forEach(keys::add);
                assertThat(keys).extracting(KeyValue::key).contains("/stele/replicas/leader");
                assertThat(keys)
                    .extracting(KeyValue::modified)
                    .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(2, revision(server)).boxed().toList());
              });
    }
  }
}
