package io.stele.gateway.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** JSON over HTTP/1.1, as far as it differs from gRPC. */
class EtcdJsonTest {
  private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");

  private final EtcdMember member = new EtcdMember();

  @AfterEach
  void close() {
    member.close();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String post(String path, String body) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(path, body.length(), body);
  }

  /** A put takes a round through the log, a serializable read does not. */
  @Test
  void answersComeInTheOrderOfTheRequests() throws Exception {
    int rounds = 200;
    StringBuilder pipeline = new StringBuilder();
    for (int i = 0; i < rounds; i++) {
      String key = base64("k" + i);
      pipeline.append(
          post("/v3/kv/put", "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(key, base64("" + i))));
      pipeline.append(
          post("/v3/kv/range", "{\"key\":\"%s\",\"serializable\":true}".formatted(key)));
    }
    List<String> values = new ArrayList<>();
    try (Socket socket = new Socket("127.0.0.1", member.port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  out.write(pipeline.toString().getBytes(StandardCharsets.UTF_8));
                  out.flush();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      InputStream in = socket.getInputStream();
      StringBuilder read = new StringBuilder();
      byte[] buffer = new byte[1 << 16];
      while (values.size() < rounds) {
        int length = in.read(buffer);
        assertThat(length).as("answers: " + values.size()).isPositive();
        read.append(new String(buffer, 0, length, StandardCharsets.UTF_8));
        values.clear();
        Matcher matcher = VALUE.matcher(read);
        while (matcher.find()) {
          values.add(
              new String(Base64.getDecoder().decode(matcher.group(1)), StandardCharsets.UTF_8));
        }
      }
    }
    for (int i = 0; i < rounds; i++) {
      assertThat(values.get(i))
          .as("what was put is read by the request after it")
          .isEqualTo("" + i);
    }
  }

  @Test
  void webPagesAreKeptOut() throws Exception {
    member.put("a", "1");
    String all = "{\"key\":\"AA==\",\"range_end\":\"AA==\"}";
    for (String header : List.of("Origin", "Sec-Fetch-Site")) {
      HttpResponse<String> answer =
          member.send(
              member
                  .request("/v3/kv/deleterange")
                  .header(header, "http://evil.example")
                  .header("Content-Type", "text/plain")
                  .POST(HttpRequest.BodyPublishers.ofString(all))
                  .build());
      assertThat(answer.statusCode()).isEqualTo(403);
    }
    assertThat(member.get("a").getKvsCount()).isEqualTo(1);

    HttpResponse<String> tool =
        member.send(
            member
                .request("/v3/kv/deleterange")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(all))
                .build());
    assertThat(tool.statusCode()).as("as curl sends it").isEqualTo(200);
    assertThat(member.get("a").getKvsCount()).isZero();
  }

  /** The status of an answer to a request with some headers. */
  private static String status(EtcdMember at, String line, String... headers) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", at.port())) {
      socket.setSoTimeout(20_000);
      String request = line + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\n";
      String body = "{\"key\":\"AA==\",\"range_end\":\"AA==\"}";
      socket
          .getOutputStream()
          .write(
              (request
                      + "Connection: close\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
                  .getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return answer.lines().findFirst().orElse("").split(" ", 3)[1];
    }
  }

  /** A page lets its own name lead to this server: to the browser it is then the page's server. */
  @Test
  void aServerOnLoopbackHasNoOtherNames() throws IOException {
    member.put("a", "1");
    for (String line : List.of("POST /v3/kv/deleterange", "GET /metrics", "GET /health")) {
      assertThat(status(member, line, "Host: evil.example:2379")).as(line).isEqualTo("403");
    }
    assertThat(member.get("a").getKvsCount()).isEqualTo(1);
    for (String host : List.of("localhost", "LOCALHOST:2379", "127.0.0.1:2379", "[::1]:2379")) {
      assertThat(status(member, "GET /health", "Host: " + host)).as(host).isEqualTo("200");
    }
  }

  @Test
  void namesOfTheServerAreASetting() throws IOException {
    EtcdOptions known = options(List.of("etcd.example"), EtcdOptions.DEFAULT.idleTimeout());
    try (EtcdMember named = new EtcdMember(known)) {
      assertThat(status(named, "GET /health", "Host: etcd.example:2379")).isEqualTo("200");
      assertThat(status(named, "GET /health", "Host: evil.example")).isEqualTo("403");
    }
  }

  @Test
  void contentOfWebFormsIsRefused() throws IOException {
    member.put("a", "1");
    for (String type : List.of("text/plain", "Text/Plain; charset=utf-8", "multipart/form-data")) {
      assertThat(
              status(member, "POST /v3/kv/deleterange", "Host: localhost", "Content-Type: " + type))
          .as(type)
          .isEqualTo("415");
    }
    assertThat(member.get("a").getKvsCount()).isEqualTo(1);
    assertThat(
            status(
                member,
                "POST /v3/kv/range",
                "Host: localhost",
                "Content-Type: application/json; charset=utf-8"))
        .isEqualTo("200");
  }

  private static EtcdOptions options(List<String> hosts, Duration impatience) {
    EtcdOptions usual = EtcdOptions.DEFAULT;
    return new EtcdOptions(
        usual.progressInterval(),
        usual.maxRequestBytes(),
        usual.maxOperations(),
        usual.origins(),
        hosts,
        usual.requestTimeout(),
        usual.keepaliveMinTime(),
        usual.keepaliveInterval(),
        usual.keepaliveTimeout(),
        impatience,
        impatience);
  }

  /** All that a member answers until it closes the connection. */
  private static String answer(EtcdMember asked, String said) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", asked.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(said.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (SocketException e) {
      return ""; // closed before all was said
    }
  }

  @Test
  void connectionsThatSayNothingAreClosed() throws IOException {
    try (EtcdMember busy = new EtcdMember(options(List.of(), Duration.ofMillis(200)))) {
      for (String said :
          List.of("", "PR", "PRI * HTTP/2.0\r\n", "POST /v3/kv/range HTTP/1.1\r\nHost:")) {
        assertThat(answer(busy, said)).as(said).doesNotStartWith("HTTP/1.1 200");
      }
      // On a slow machine they, too, may say nothing for a while: then once more.
      String request = post("/v3/kv/range", "{\"key\":\"AA==\"}");
      await().untilAsserted(() -> assertThat(answer(busy, request)).startsWith("HTTP/1.1 200"));
      await()
          .ignoreExceptionsInstanceOf(StatusRuntimeException.class)
          .until(() -> busy.put("a", "1") > 0); // a client of gRPC gets through
    }
  }
}
