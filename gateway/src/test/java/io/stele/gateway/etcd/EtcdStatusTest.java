package io.stele.gateway.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.StatusRequest;
import io.stele.protocol.etcd.StatusResponse;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators and orchestrators ask of a member. */
class EtcdStatusTest {
  private final EtcdMember member = new EtcdMember();

  @AfterEach
  void close() {
    member.close();
  }

  private StatusResponse status() {
    return MaintenanceGrpc.newBlockingStub(member.channel())
        .status(StatusRequest.getDefaultInstance());
  }

  /** Kubernetes asks for the progress of watches from 3.5.13 on, and needs it. */
  @Test
  void theVersionIsOneWhoseWatchesTellProgress() throws Exception {
    assertThat(status().getVersion()).startsWith("3.6.");
    assertThat(status().getStorageVersion()).startsWith("3.6.");
    assertThat(member.page("/version").body())
        .isEqualTo("{\"etcdserver\":\"3.6.0\",\"etcdcluster\":\"3.6.0\"}");
  }

  @Test
  void theSizeGrowsWithWhatIsStoredBeforeAnythingIsFlushed() throws Exception {
    long before = status().getDbSizeInUse();
    for (int i = 0; i < 20; i++) {
      member.put("key" + i, "v".repeat(10_000));
    }
    StatusResponse after = status();
    assertThat(after.getDbSizeInUse()).isGreaterThan(before + 200_000);
    assertThat(after.getDbSize()).isGreaterThan(after.getDbSizeInUse() + 200_000);
    assertThat(member.page("/metrics").body())
        .contains("etcd_mvcc_db_total_size_in_use_in_bytes " + after.getDbSizeInUse())
        .contains("etcd_server_quota_backend_bytes " + after.getDbSizeQuota())
        .contains("etcd_server_version{server_version=\"3.6.0\"} 1\n")
        .contains("etcd_server_is_learner 0");
  }

  @Test
  void probesAnswerAsEtcdsDo() throws Exception {
    HttpResponse<String> live = member.page("/livez");
    assertThat(live.statusCode()).isEqualTo(200);
    assertThat(live.body()).isEqualTo("ok\n");
    assertThat(member.page("/readyz").body()).isEqualTo("ok\n");
    assertThat(member.page("/readyz?verbose").body())
        .isEqualTo(
            """
            [+]serializable_read ok
            [+]linearizable_read ok
            [+]non_learner ok
            ok
            """);
    assertThat(member.page("/readyz?verbose&exclude=non_learner").body())
        .doesNotContain("non_learner");
    assertThat(member.page("/livez/serializable_read?verbose").body())
        .isEqualTo("[+]serializable_read ok\nok\n");
    assertThat(member.page("/livez/other").statusCode()).isEqualTo(404);

    member.node.close();

    HttpResponse<String> dead = member.page("/readyz");
    assertThat(dead.statusCode()).isEqualTo(503);
    assertThat(dead.body()).contains("[-]linearizable_read failed: ");
    assertThat(member.page("/livez").statusCode()).isEqualTo(503);
    assertThat(member.page("/health").body()).isEqualTo("{\"health\":\"false\"}");
  }
}
