package io.stele.gateway.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
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
    return "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
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
}
