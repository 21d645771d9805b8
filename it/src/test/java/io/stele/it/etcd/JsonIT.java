package io.stele.it.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** etcd's API in JSON, and the pages beside it. */
class JsonIT {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private Path directory;

  private SteleNode node;

  @BeforeEach
  void start() throws Exception {
    node = SteleNode.start(directory);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    node.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + node.address() + path))
        .timeout(Duration.ofSeconds(30));
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return client.send(
        request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  @Test
  void callsAndErrors() throws Exception {
    String key = base64("k");
    assertThat(post("/v3/kv/put", "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(key, key)).body())
        .contains("\"revision\":\"2\"");
    assertThat(post("/v3/kv/range", "{\"key\":\"%s\"}".formatted(key)).body())
        .contains(
            "\"kvs\":[{\"key\":\"%s\",\"create_revision\":\"2\",".formatted(key),
            "\"count\":\"1\"");
    HttpResponse<String> refused = post("/v3/kv/range", "{}");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("\"error\":\"etcdserver: key is not provided\"", "\"code\":3");
    assertThat(post("/v3/lease/revoke", "{\"ID\":\"9\"}").statusCode()).isEqualTo(404);
    assertThat(post("/v3/kv/range", "no JSON").statusCode()).isEqualTo(400);
    assertThat(post("/v3/none", "{}").statusCode()).isEqualTo(404);
    assertThat(get("/v3/kv/range").statusCode()).isEqualTo(405);
  }

  @Test
  void pages() throws Exception {
    assertThat(get("/version").body()).contains("\"etcdserver\":\"3.6.0\"");
    assertThat(get("/health").body()).isEqualTo("{\"health\":\"true\"}");
    assertThat(get("/metrics").body())
        .contains("etcd_server_is_leader 1\n", "process_resident_memory_bytes ");
  }

  @Test
  void aWatchIsAStreamOfLines() throws Exception {
    HttpResponse<InputStream> watch =
        client.send(
            request("/v3/watch")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"create_request\":{\"key\":\"%s\"}}".formatted(base64("w"))))
                .build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(watch.body(), UTF_8))) {
      assertThat(lines.readLine()).startsWith("{\"result\":").contains("\"created\":true");
      post("/v3/kv/put", "{\"key\":\"%s\"}".formatted(base64("w")));
      assertThat(lines.readLine())
          .contains("\"events\":[{\"kv\":{\"key\":\"%s\"".formatted(base64("w")));
    }
  }
}
