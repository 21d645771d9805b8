package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.client.Stele;
import io.stele.client.metastore.AclEntry;
import io.stele.client.metastore.Keys;
import io.stele.client.table.Table;
import io.stele.testkit.tls.TestCertificates;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three servers of a cluster in one process, each with a certificate of its own. */
@Timeout(120)
class SecuredServersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private static final List<TestServer> servers = new ArrayList<>();
  private static TestCertificates certificates;
  private static Stele stele;

  private static TestServer start(String name, String... flags) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "etcd.port=0",
                "bigtable.port=0",
                "datasets.source=" + folder.resolve("datasets"),
                "datasets.cluster=ours",
                "datasets.time-to-converge=100ms",
                "tables.shared=true",
                "tables.files=" + folder.resolve("files"),
                "tables.session=2s"));
    TlsFiles files = certificates.node(name);
    all.add("tls.certificate=" + files.certificate().orElseThrow());
    all.add("tls.key=" + files.key().orElseThrow());
    all.add("tls.authority=" + files.authority().orElseThrow());
    all.addAll(List.of(flags));
    TestServer server = TestServer.start(folder.resolve(name), all.toArray(String[]::new));
    servers.add(server);
    return server;
  }

  private static Stele connect(TlsFiles files) {
    return Stele.builder()
        .endpoints(servers.stream().map(TestServer::address).toList())
        .tls(files)
        .connect();
  }

  @BeforeAll
  static void startThree() throws IOException {
    certificates = new TestCertificates(folder);
    String metastore = start("n1").address();
    for (String name : List.of("n2", "n3")) {
      start(name, "server.roles=tables,master,replicas,datasets", "server.metastore=" + metastore);
    }
    stele = connect(certificates.user("ann"));
    await("that all serve; told: " + servers.getFirst().told())
        .atMost(PATIENCE)
        .until(SecuredServersTest::allServe);
  }

  private static boolean allServe() {
    try {
      Cluster.Status status = stele.cluster().status();
      return status.servers().size() == 3
          && status.unserved().isEmpty()
          && status.tablets() >= 2
          && stele.metastore().count(Keys.prefix("/stele/replicas/servers/")) == 3;
    } catch (SteleException e) {
      return false;
    }
  }

  @AfterAll
  static void stop() {
    stele.close();
    servers.reversed().forEach(TestServer::close);
  }

  private static String value(Table table, String row) {
    return table.get(row).orElseThrow().value("f", "x").orElseThrow().toUtf8();
  }

  /** META, the master's orders, rows, pushes among replicas and the metastore all go by TLS. */
  @Test
  void aClusterWorksByTlsAlone() throws Exception {
    stele.tables().create("t", TableSchema.ofFamilies("f"), List.of(Bytes.utf8("m")));
    Table table = stele.table("t");
    for (String row : List.of("a", "z")) {
      table.put(row, "f", "x", row);
      assertThat(value(table, row)).isEqualTo(row);
    }
    String from = stele.tables().tablets("t").getFirst().location();
    String to =
        servers.stream()
            .map(TestServer::address)
            .filter(address -> !address.equals(from))
            .findFirst()
            .orElseThrow();
    stele.cluster().move("t", Bytes.utf8("a"), to);
    assertThat(value(table, "a")).isEqualTo("a");

    try (Stele plain = Stele.builder().endpoints(to).timeout(Duration.ofSeconds(2)).connect()) {
      assertThatThrownBy(() -> plain.table("t").get("a")).isInstanceOf(SteleException.class);
    }
    assertThatThrownBy(
            () -> {
              try (Stele anonymous = connect(certificates.anonymous())) {
                anonymous.metastore().get("/a");
              }
            })
        .isInstanceOf(SteleException.class);
  }

  @Test
  void whoAsksIsWhoTheCertificateSays() throws Exception {
    stele.metastore().put("/a", "1");
    try (Stele pretender =
        Stele.builder()
            .endpoints(servers.getFirst().address())
            .tls(certificates.user("eve"))
            .principal("ann")
            .connect()) {
      assertThatThrownBy(() -> pretender.metastore().put("/a", "2"))
          .isInstanceOf(DeniedException.class)
          .hasMessageContaining("user eve asks on behalf of ann");
    }
  }

  /** What somebody may not read does not come by way of a backup either. */
  @Test
  void aBackupIsForThoseWhoMayReadAllOfIt() throws Exception {
    try (Stele dan = connect(certificates.user("dan"))) {
      assertThat(dan.metastore().admin().backup(OutputStream.nullOutputStream())).isPositive();
      dan.metastore()
          .admin()
          .setAcl(
              "/stele/etcd",
              List.of(new AclEntry("stele", true, true), new AclEntry("dan", true, true)));

      assertThat(dan.metastore().admin().backup(OutputStream.nullOutputStream())).isPositive();
      assertThatThrownBy(() -> stele.metastore().admin().backup(OutputStream.nullOutputStream()))
          .isInstanceOf(DeniedException.class)
          .hasMessageContaining("may not read in directory /stele/etcd");
    }
  }

  // ---- the other ports

  private HttpResponse<String> get(TlsFiles files, String address, String path) throws Exception {
    try (HttpClient http = HttpClient.newBuilder().sslContext(Tls.open(files).context()).build()) {
      return http.send(
          HttpRequest.newBuilder(URI.create("https://" + address + path))
              .timeout(Duration.ofSeconds(20))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void otherPortsSpeakTlsToo() throws Exception {
    TlsFiles bob = certificates.user("bob");
    TlsFiles node = certificates.node("n4");
    String datasets = servers.getFirst().datasets();
    assertThat(get(bob, datasets, "/healthz").statusCode()).isEqualTo(404);
    assertThat(get(node, datasets, "/?proxy=status").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = get(bob, datasets, "/?proxy=status");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body())
        .contains("the parameter proxy is for the servers of the cluster: user bob has no");
    assertThatThrownBy(() -> get(certificates.anonymous(), datasets, "/healthz"))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> get(certificates.stranger("n1"), datasets, "/healthz"))
        .isInstanceOf(IOException.class);

    String etcd = servers.getFirst().server().addresses().etcdAddress();
    assertThat(get(bob, etcd, "/version").body()).contains("etcdserver");
    assertThatThrownBy(() -> get(certificates.anonymous(), etcd, "/version"))
        .isInstanceOf(IOException.class);
    String bigtable = servers.getFirst().server().addresses().bigtableAddress();
    assertThatThrownBy(() -> get(certificates.anonymous(), bigtable, "/"))
        .isInstanceOf(IOException.class);
  }
}
