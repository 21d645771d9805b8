package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.stele.base.process.ChildProcess;
import io.stele.protocol.etcd.DowngradeRequest;
import io.stele.protocol.etcd.DowngradeRequest.DowngradeAction;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's etcdctl on a group of one. */
class EtcdctlIT {
  @TempDir private Path directory;

  private SteleNode node;
  private Etcdctl etcdctl;

  @BeforeEach
  void start() throws Exception {
    Etcdctl.require();
    node = SteleNode.start(directory);
    etcdctl = new Etcdctl("http://" + node.address());
  }

  @AfterEach
  void stop() throws Exception {
    if (node != null) {
      node.close();
    }
  }

  @Test
  void keys() throws Exception {
    assertThat(etcdctl.run("put", "a", "1")).isEqualTo("OK");
    assertThat(etcdctl.run("put", "a", "2", "--prev-kv")).isEqualTo("OK\na\n1");
    assertThat(etcdctl.run("put", "b", "3")).isEqualTo("OK");
    assertThat(etcdctl.run("get", "--prefix", "", "--order=DESCEND", "--sort-by=MODIFY"))
        .isEqualTo("b\n3\na\n2");
    assertThat(etcdctl.run("get", "a", "--rev=2", "--print-value-only")).isEqualTo("1");
    assertThat(etcdctl.run("get", "a", "z", "--limit=1", "--keys-only").strip()).isEqualTo("a");
    assertThat(etcdctl.run("get", "a", "--consistency=s")).isEqualTo("a\n2");
    assertThat(etcdctl.runWith("mod(\"a\") = \"3\"\n\nput c 1\nget a\n\nput c 2\n\n", "txn"))
        .isEqualTo("SUCCESS\n\nOK\n\na\n2");
    assertThat(etcdctl.runWith("value(\"a\") = \"x\"\n\n\nget c\n\n", "txn"))
        .isEqualTo("FAILURE\n\nc\n1");
    assertThat(etcdctl.run("del", "--prefix", "", "--prev-kv")).isEqualTo("3\na\n2\nb\n3\nc\n1");
    assertThat(etcdctl.run("del", "a")).isEqualTo("0");
    assertThat(etcdctl.run("compact", "4")).isEqualTo("compacted revision 4");
    assertThat(etcdctl.run("get", "a", "--rev=3"))
        .isEqualTo("Error: etcdserver: mvcc: required revision has been compacted");
    assertThat(etcdctl.run("compact", "4"))
        .isEqualTo("Error: etcdserver: mvcc: required revision has been compacted");
    assertThat(etcdctl.run("compact", "400"))
        .isEqualTo("Error: etcdserver: mvcc: required revision is a future revision");
  }

  @Test
  void leasesLocksAndElections() throws Exception {
    assertThat(etcdctl.run("lease", "grant", "60")).contains("granted with TTL(60s)");
    String list = etcdctl.run("lease", "list");
    assertThat(list).startsWith("found 1 leases");
    String lease = list.lines().toList().get(1);
    assertThat(etcdctl.run("put", "leased", "x", "--lease=" + lease)).isEqualTo("OK");
    assertThat(etcdctl.run("lease", "timetolive", lease, "--keys"))
        .contains("granted with TTL(60s)", "attached keys([leased])");
    assertThat(etcdctl.run("lease", "keep-alive", "--once", lease)).contains("keepalived");
    assertThat(etcdctl.run("lease", "revoke", lease)).contains("revoked");
    assertThat(etcdctl.run("get", "leased")).isEmpty();
    assertThat(etcdctl.run("lease", "timetolive", lease)).contains("already expired");
    assertThat(etcdctl.run("lease", "revoke", lease))
        .contains("etcdserver: requested lease not found");
    assertThat(etcdctl.run("put", "k", "v", "--lease=" + lease))
        .isEqualTo("Error: etcdserver: requested lease not found");
    assertThat(etcdctl.run("lock", "mutex", "echo", "mine")).isEqualTo("mine");
    Path elected = directory.resolve("elected");
    try (ChildProcess _ = etcdctl.begin(elected, "elect", "office", "me")) {
      await("the election")
          .atMost(Duration.ofSeconds(20))
          .until(() -> Files.readString(elected).contains("me"));
    }
  }

  @Test
  void membersAndUpkeep() throws Exception {
    assertThat(etcdctl.run("member", "list")).contains("started, a, http://127.0.0.1:2");
    assertThat(etcdctl.run("endpoint", "status", "-w", "json"))
        .contains("\"version\":\"3.6.0\"")
        .contains("\"leader\":");
    assertThat(etcdctl.run("endpoint", "health")).contains("is healthy");
    assertThat(etcdctl.run("endpoint", "hashkv")).contains(node.address());
    assertThat(etcdctl.run("alarm", "list")).isEmpty();
    assertThat(etcdctl.run("defrag")).contains("Finished defragmenting");
    String id = etcdctl.run("member", "list").split(",", 2)[0];
    assertThat(etcdctl.run("member", "update", id, "--peer-urls=http://127.0.0.1:2"))
        .contains("updated in cluster");
    assertThat(etcdctl.run("member", "update", id, "--peer-urls=http://127.0.0.1:3"))
        .contains("member a is at http://127.0.0.1:2 and cannot move to http://127.0.0.1:3");
    assertThat(etcdctl.run("member", "update", "7b", "--peer-urls=http://127.0.0.1:2"))
        .contains("etcdserver: member not found");
    assertThat(etcdctl.run("move-leader", "7b")).contains("etcdserver: member not found");
    Path snapshot = directory.resolve("snapshot");
    assertThat(etcdctl.run("snapshot", "save", snapshot.toString())).contains("Snapshot saved");
    assertThat(Files.size(snapshot) % 512).as("pages and a digest").isEqualTo(32);
  }

  @Test
  void noVersionIsATargetOfADowngrade() {
    assertThat(downgrade(DowngradeAction.VALIDATE, "3.4.0"))
        .isEqualTo("INVALID_ARGUMENT: etcdserver: invalid downgrade target version");
    assertThat(downgrade(DowngradeAction.ENABLE, "older"))
        .isEqualTo("INVALID_ARGUMENT: etcdserver: wrong downgrade target version format");
    assertThat(downgrade(DowngradeAction.CANCEL, ""))
        .isEqualTo("FAILED_PRECONDITION: etcdserver: no inflight downgrade job");
  }

  private String downgrade(DowngradeAction action, String version) {
    try {
      return MaintenanceGrpc.newBlockingStub(node.channel())
          .downgrade(DowngradeRequest.newBuilder().setAction(action).setVersion(version).build())
          .toString();
    } catch (StatusRuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** More than any transaction may change. */
  @Test
  void aDeletionOfManyKeysIsOneRevision() throws Exception {
    int keys = 12_000;
    KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(node.channel());
    for (int first = 0; first < keys; first += 100) {
      TxnRequest.Builder puts = TxnRequest.newBuilder();
      for (int i = first; i < first + 100; i++) {
        puts.addSuccess(
            RequestOp.newBuilder()
                .setRequestPut(
                    PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("many/%05d".formatted(i)))));
      }
      kv.txn(puts.build());
    }
    assertThat(etcdctl.run("put", "other", "1")).isEqualTo("OK");
    long before =
        kv.range(RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("other")).build())
            .getHeader()
            .getRevision();
    Path told = directory.resolve("told");
    try (ChildProcess _ =
        etcdctl.begin(told, "watch", "many/1199", "--prefix", "--rev=" + before)) {
      assertThat(etcdctl.run("del", "many/", "--prefix")).isEqualTo(String.valueOf(keys));
      assertThat(etcdctl.run("get", "other", "-w", "json"))
          .contains("\"revision\":" + (before + 1) + ",");
      assertThat(etcdctl.run("get", "", "--prefix", "--keys-only").strip()).isEqualTo("other");
      assertThat(etcdctl.run("get", "many/", "--prefix", "--rev=" + before, "--limit=1"))
          .startsWith("many/00000");
      await("the end of the deletion")
          .atMost(Duration.ofSeconds(20))
          .until(() -> Files.readString(told).contains("DELETE\nmany/11999\n"));
      assertThat(Files.readString(told).split("DELETE", -1)).hasSize(11);
    }
  }

  @Test
  void usersAndRoles() throws Exception {
    assertThat(etcdctl.run("auth", "enable")).contains("etcdserver: root user does not exist");
    etcdctl.run("user", "add", "root:secret");
    etcdctl.run("user", "grant-role", "root", "root");
    etcdctl.run("role", "add", "reader");
    etcdctl.run("role", "grant-permission", "reader", "read", "public/", "--prefix");
    etcdctl.run("user", "add", "ann:pass");
    etcdctl.run("user", "grant-role", "ann", "reader");
    assertThat(etcdctl.run("put", "public/a", "1")).isEqualTo("OK");
    assertThat(etcdctl.run("auth", "enable")).isEqualTo("Authentication Enabled");

    assertThat(etcdctl.run("get", "public/a")).isEqualTo("Error: etcdserver: user name is empty");
    Etcdctl ann = etcdctl.as("ann:pass");
    assertThat(ann.run("get", "public/", "--prefix")).isEqualTo("public/a\n1");
    assertThat(ann.run("get", "p", "q")).isEqualTo("Error: etcdserver: permission denied");
    assertThat(ann.run("put", "public/a", "2")).isEqualTo("Error: etcdserver: permission denied");
    assertThat(ann.run("user", "list")).isEqualTo("Error: etcdserver: permission denied");
    assertThat(etcdctl.as("ann:wrong").run("get", "public/a"))
        .isEqualTo("Error: etcdserver: authentication failed, invalid user ID or password");
    Etcdctl root = etcdctl.as("root:secret");
    assertThat(root.run("put", "public/a", "2")).isEqualTo("OK");
    assertThat(root.run("auth", "disable")).isEqualTo("Authentication Disabled");
    assertThat(etcdctl.run("get", "public/a")).isEqualTo("public/a\n2");
  }

  /** What was put before, while the server was away and after is told once, in order. */
  @Test
  void aWatchGoesOnAfterARestart() throws Exception {
    Path told = directory.resolve("told");
    try (ChildProcess _ = etcdctl.begin(told, "watch", "--prefix", "w")) {
      await("the watch")
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                etcdctl.run("put", "w", "0");
                return Files.readString(told).contains("w\n0\n");
              });
      etcdctl.run("put", "w", "1");
      int port = node.port();
      node.close();
      node = SteleNode.start(directory, port);
      etcdctl.run("put", "w", "2");
      etcdctl.run("del", "w");

      await("all events")
          .atMost(Duration.ofSeconds(30))
          .untilAsserted( // etcdctl writes an event line by line
              () ->
                  assertThat(Files.readString(told))
                      .endsWith("PUT\nw\n1\nPUT\nw\n2\nDELETE\nw\n\n"));
    }
  }
}
