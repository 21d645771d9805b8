package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.schema.TableSchema;
import io.stele.base.text.JsonReader;
import io.stele.client.Stele;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(60)
class AdminPortTest {
  @TempDir static Path folder;

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start(folder, "etcd.port=0", "bigtable.port=0");
    try (Stele stele = Stele.connect(server.address())) {
      stele.tables().create("users", TableSchema.ofFamilies("name"), List.of());
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> get(TestServer of, String path)
      throws IOException, InterruptedException {
    URI page = URI.create("http://" + of.server().addresses().adminAddress() + path);
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static Map<?, ?> json(String path) throws IOException, InterruptedException {
    return (Map<?, ?>) JsonReader.read(get(server, path).body());
  }

  @Test
  void itIsWhereAddressesSay() throws Exception {
    assertThat(Files.readString(folder.resolve("addresses.json")))
        .contains("\"admin\": \"" + server.server().addresses().adminAddress() + "\"");
    assertThat(get(server, "/livez").body()).isEqualTo("ok\n");
  }

  @Test
  void everyPartHasACheck() throws Exception {
    HttpResponse<String> answer = get(server, "/readyz?verbose");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body())
        .contains("[+] start: ok", "[+] metastore: ok", "[+] tables: ok", "[+] datasets: ok");
  }

  @Test
  void oneThatWaitsForAGroupIsAliveAndNotReady(@TempDir Path waiting) throws Exception {
    try (TestServer alone = TestServer.start(waiting, "server.await=true", "etcd.port=0")) {
      assertThat(get(alone, "/livez").statusCode()).isEqualTo(200);
      HttpResponse<String> answer = get(alone, "/readyz");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body())
          .contains("[-] metastore: this member belongs to no group yet")
          .endsWith("not ready\n");
    }
  }

  @Test
  void theStatusSaysWhatTheNodeIsAndHas() throws Exception {
    Map<?, ?> status = json("/status");

    assertThat(status.get("address")).isEqualTo(server.address());
    assertThat(status.get("roles").toString()).contains("metastore", "tables");
    assertThat(status.get("ready")).isEqualTo(true);
    assertThat(status.get("version")).asString().matches("[0-9].*");
    assertThat(status.get("addresses").toString()).contains(server.address());
    assertThat(status.get("metastore").toString()).contains("role=leader", "revision=");
    assertThat(status.get("tables").toString()).contains("users=1").contains("active=");
    assertThat(status.get("datasets")).isEqualTo(Map.of());
    assertThat(status.get("disks").toString()).contains("free_bytes=");
  }

  @Test
  void everySettingIsShown() throws Exception {
    Map<?, ?> config = json("/config");

    assertThat(config).hasSameSizeAs(ServerSchema.SCHEMA.known());
    assertThat(config.get("tables.cache").toString()).contains("value=4MiB", "flag --set");
  }

  @Test
  void levelsOfLoggersChangeUntilTheProcessEnds() throws Exception {
    String name = "io.stele.test.levels";
    assertThat(LoggerFactory.getLogger(name).isDebugEnabled()).isFalse();

    assertThat(put(name, "{\"level\": \"DEBUG\"}").statusCode()).isEqualTo(200);
    assertThat(LoggerFactory.getLogger(name).isDebugEnabled()).isTrue();
    assertThat(json("/loggers").get(name)).isEqualTo("DEBUG");
    assertThat(put(name, "{\"level\": \"LOUD\"}").body())
        .isEqualTo(
            "level is 'LOUD': must be one of [TRACE, DEBUG, INFO, WARN, ERROR, OFF], or null\n");
    assertThat(put(name, "{\"level\": null}").body()).contains("\"own\": false");
    assertThat(LoggerFactory.getLogger(name).isDebugEnabled()).isFalse();
  }

  private static HttpResponse<String> put(String logger, String body)
      throws IOException, InterruptedException {
    URI page =
        URI.create("http://" + server.server().addresses().adminAddress() + "/loggers/" + logger);
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(page)
              .header("Content-Type", "application/json")
              .PUT(HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }
}
